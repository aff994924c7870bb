//! The measure of all rows: hyper with nothing around it. It reads the body and answers a constant.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What bare answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One body with its length.
    Plain,
    /// Some chunks, each in a write of its own.
    Dripped,
}

/// Serves for ever: `bare plain|dripped SIZE CHUNKS`.
pub(crate) fn serve(arguments: &[String]) {
    let dripped = arguments[0] == "dripped";
    let size: usize = arguments[1].parse().expect("a size");
    let chunks: usize = arguments[2].parse().expect("a number of chunks");
    let body = Bytes::from(vec![b'x'; size]);
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime").block_on(
        async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
            println!("bare: {}", listener.local_addr().expect("an address"));
            loop {
                let (socket, _) = listener.accept().await.expect("a connection");
                socket.set_nodelay(true).expect("no delay");
                let body = body.clone();
                tokio::spawn(async move {
                    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
                        answer(request, body.clone(), dripped.then_some(chunks))
                    });
                    let _left = hyper::server::conn::http1::Builder::new()
                        .half_close(true)
                        .auto_date_header(false)
                        .serve_connection(TokioIo::new(socket), service)
                        .await;
                });
            }
        },
    );
}

type Body = http_body_util::Either<Full<Bytes>, StreamBody<Drip>>;

async fn answer(
    request: Request<Incoming>,
    body: Bytes,
    chunks: Option<usize>,
) -> Result<Response<Body>, Infallible> {
    let _read = request.into_body().collect().await;
    let body = match chunks {
        Some(left) => {
            let piece = body.slice(..body.len() / left);
            http_body_util::Either::Right(StreamBody::new(Drip { piece, left, ready: true }))
        }
        None => http_body_util::Either::Left(Full::new(body)),
    };
    Ok(Response::builder().header("content-type", "application/json").body(body).expect("a response"))
}

/// Pieces with a pause of one poll between them, so that hyper writes each by itself.
struct Drip {
    piece: Bytes,
    left: usize,
    ready: bool,
}

impl futures_core::Stream for Drip {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        if !self.ready {
            self.ready = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.ready = false;
        self.left -= 1;
        Poll::Ready(Some(Ok(Frame::data(self.piece.clone()))))
    }
}
