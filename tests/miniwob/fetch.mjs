// Fetches the MiniWoB pages into the cache, if they are not there, and says where.
import { fetchPages } from './pages.mjs';

console.log(fetchPages());
