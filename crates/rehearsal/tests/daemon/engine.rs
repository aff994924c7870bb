//! `--as-engine` against what is known of the real daemon: a row for every difference from its fake, and one for every route.
//!
//! The differences are those of the guide's table, in its order; a row that is missing here or there fails.

mod differences;
mod routes;
