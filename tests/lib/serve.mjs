// A loopback server for test pages, on two hosts so that frames can be of another origin and site.
import { createServer } from 'node:http';

/**
 * `pages` maps a path to HTML, or to `{ body, headers, status }`. `{other}` in a page becomes the address of
 * the same server under another site's name (127.0.0.1 against localhost).
 */
export async function serve(pages) {
  const server = createServer((request, response) => {
    const page = pages[new URL(request.url, 'http://x').pathname];
    if (page === undefined) { response.statusCode = 404; return response.end('<!doctype html><title>Not found</title><h1>Not found</h1>'); }
    const { body, headers = {}, status = 200 } = typeof page === 'string' ? { body: page } : page;
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(body.replaceAll('{other}', `http://localhost:${server.address().port}`));
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  return { url: path => `http://127.0.0.1:${server.address().port}${path}`, close: () => { server.closeAllConnections(); server.close(); } };
}
