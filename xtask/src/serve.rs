//! Serves the exam apps of `suite/` on loopback, for the demo, the tests and people.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use axum::Router;
use tower_http::services::ServeDir;

use crate::tools;

/// A server that ends with the program.
pub struct Server {
    /// As `http://127.0.0.1:PORT`.
    pub base: String,
}

/// Starts serving on a port, or on any free one with 0.
///
/// # Errors
/// When the port is taken.
pub fn start(port: u16) -> Result<(Server, std::thread::JoinHandle<()>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let listener = runtime
        .block_on(tokio::net::TcpListener::bind(address))
        .with_context(|| format!("could not listen on {address}"))?;
    let base = format!("http://{}", listener.local_addr()?);
    let app = Router::new().fallback_service(ServeDir::new(tools::root().join("suite")));
    let thread = std::thread::spawn(move || {
        if let Err(error) = runtime.block_on(async { axum::serve(listener, app).await }) {
            eprintln!("error: the server of suite/ stopped: {error}");
        }
    });
    Ok((Server { base }, thread))
}

/// Serves until the program is ended.
///
/// # Errors
/// As [`start`].
pub fn run(port: u16) -> Result<()> {
    let (server, thread) = start(port)?;
    println!("{}/orders/index.html?seed=7", server.base);
    // It only returns when the server failed, which it has told.
    let _ = thread.join();
    Ok(())
}
