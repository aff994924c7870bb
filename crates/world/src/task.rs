//! The runtime: how the program's futures run, and the few tools of concurrency that the actors use.

pub use tokio::spawn;
pub use tokio::sync::{Notify, Semaphore, oneshot};
pub use tokio::task::{JoinError, JoinHandle, JoinSet};

use std::future::Future;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Runs a future to its end on a runtime with a thread for each core: what one thread waits for, such as a large workspace
/// that is read, holds up nobody else.
///
/// # Errors
/// When the operating system gives no threads.
pub fn run<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(future);
    // Work that was given up and still waits for a disk or a pipe must not keep the program.
    runtime.shutdown_timeout(GIVEN_UP);
    Ok(outcome)
}

/// Time that threads have to end which wait for something that nobody waits for any longer.
const GIVEN_UP: Duration = Duration::from_secs(2);

/// The same with a thread for every second core, for a server: the other half is for whoever asks, on this same machine.
/// More threads would mostly wake each other; requests that take long are judged on threads of their own.
///
/// # Errors
/// When the operating system gives no threads.
pub fn run_server<T>(future: impl Future<Output = T>) -> io::Result<T> {
    // Only control groups may allow fewer, and their files take a start longer to read than to ask for this.
    let threads = if processors() < 4 { 1 } else { parallelism() / 2 };
    match threads {
        0 | 1 => run_here(future),
        threads => {
            Ok(Builder::new_multi_thread().worker_threads(threads).enable_all().build()?.block_on(future))
        }
    }
}

/// Runs what would keep others waiting on threads for such work, one for each core. Dropped before its end, the work is dropped too.
pub async fn aside<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    /// Ends with whoever waits for it.
    struct Held<T>(JoinHandle<T>);
    impl<T> Drop for Held<T> {
        fn drop(&mut self) {
            self.0.abort();
        }
    }
    static THREADS: OnceLock<Option<Runtime>> = OnceLock::new();
    let threads = THREADS
        .get_or_init(|| Builder::new_multi_thread().worker_threads(parallelism()).enable_time().build().ok());
    // A system that gives no threads still gets its work done.
    let Some(threads) = threads else { return work.await };
    let mut held = Held(threads.spawn(work));
    match (&mut held.0).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => unreachable!("only its drop aborts it"),
        },
    }
}

/// Does work that waits for the disk on a thread for such work.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    joined(tokio::task::spawn_blocking(work).await)
}

/// Runs a future to its end on this thread alone: quicker to start, for programs that wait more than they work.
///
/// # Errors
/// When the operating system gives no event queue.
pub fn run_here<T>(future: impl Future<Output = T>) -> io::Result<T> {
    Ok(Builder::new_current_thread().enable_all().build()?.block_on(future))
}

/// Resolves when someone asks the program to end: Ctrl-C, or, where there are signals, SIGTERM, and SIGHUP when its terminal goes
/// away (on Linux, and unless it was told with `nohup` to stay). They are caught from the call on, not only once the future is
/// awaited. To be called inside a runtime.
pub fn asked_to_end() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = if ends_at_hangup() { signal(SignalKind::hangup()).ok() } else { None };
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()), hangup)
    };
    async move {
        #[cfg(unix)]
        match signals {
            (Ok(mut terminate), Ok(mut interrupt), mut hangup) => {
                let hung_up = async {
                    match &mut hangup {
                        Some(hangup) => drop(hangup.recv().await),
                        None => std::future::pending().await,
                    }
                };
                tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} () = hung_up => {} }
            }
            // Without handlers the signals end the program by themselves.
            _ => std::future::pending().await,
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Whether this process does not ignore SIGHUP, as it does below `nohup`: a handler of ours would undo that.
#[cfg(unix)]
#[expect(unsafe_code, reason = "no safe wrapper asks how a signal is taken")]
fn ends_at_hangup() -> bool {
    static ENDS: OnceLock<bool> = OnceLock::new();
    *ENDS.get_or_init(|| {
        let mut taken = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: without a new action nothing is changed; the present one is written to the place, which is ours and of its size.
        let asked = unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), taken.as_mut_ptr()) };
        // SAFETY: it is made of numbers and of pointers that are not followed, for which zeros are a value.
        asked == 0 && unsafe { taken.assume_init() }.sa_sigaction != libc::SIG_IGN
    })
}

/// Works until the work is done, or until someone asks the program to end: then the work is dropped, and there is no outcome.
pub async fn unless_asked_to_end<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        outcome = work => Some(outcome),
        () = asked_to_end() => None,
    }
}

/// What a task gave that nobody ended before its time. Its panic is a panic here.
pub fn joined<T>(ended: Result<T, JoinError>) -> T {
    match ended.map_err(JoinError::try_into_panic) {
        Ok(given) => given,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        Err(Err(error)) => panic!("a task ends by itself or by its panic: {error}"),
    }
}

/// How many processors this program may use, where the system tells it at once.
fn processors() -> u32 {
    #[cfg(target_os = "linux")]
    return rustix::thread::sched_getaffinity(None).map_or(u32::MAX, |set| set.count());
    #[cfg(not(target_os = "linux"))]
    u32::MAX
}

/// How many things the machine does at once, 1 or more.
#[must_use]
pub fn parallelism() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Resolves with whichever of two futures ends first; the other is dropped.
pub async fn first(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    tokio::select! { () = one => {} () = other => {} }
}

/// Lets clocks, sockets and all other tasks have their turn: for a loop in which everything may be ready at once, for ever.
pub async fn give_way() {
    tokio::task::yield_now().await;
}

/// The outcome of some work; nothing where it takes longer than the time, and then the work is dropped.
pub async fn within<T>(time: Duration, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        outcome = work => Some(outcome),
        () = after(time) => None,
    }
}

/// Resolves after a time: a deadline for what is waited for beside it.
#[expect(clippy::disallowed_methods, reason = "deadlines are made here")]
pub async fn after(time: Duration) {
    tokio::time::sleep(time).await;
}
