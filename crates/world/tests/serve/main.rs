//! The HTTP server over real loopback sockets: what clients see, and what the app is told about it.

mod acts;
mod closing;
mod facts;
mod framing;
mod limits;
mod live;
mod ordinary;
mod stand;
