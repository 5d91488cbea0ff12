//! Cases as data: a page in HTML's notation, what is asked of it, what must come out.

mod accessibility;
mod finding;
mod page;
mod random;
mod reading;
mod stream;
