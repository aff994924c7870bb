//! What the store keeps and tells: versions, heads, edges, ids, cells and frames.

use crate::stand::{Place, ask, code, derived, edge, moments, refusal, save, text, version};
use rehearsal_lab::store::{
    Ask, Basis, CellStatus, EdgeKind, End, FrameKind, FrameStatus, Moments, Restore, Save, Source, Store,
};
use rehearsal_lab::{Code, Proof};
use serde_json::json;
use std::fs;

#[test]
fn a_saved_artifact_is_read_back_with_its_digest() {
    let place = Place::in_memory("keep-read");
    let mut store = place.session();
    let saved = save(&mut store, "raw.csv", "abc", &[]).unwrap();
    let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(saved.observed()["checksum"], sum);
    assert_eq!(saved.observed()["size"], 3);
    assert_eq!(saved.observed()["version"], 1);
    assert_eq!(saved.observed()["edges"], json!([]));
    let read = store.read_artifact(&text(&saved, "version_id")).unwrap();
    assert_eq!(read.observed()["text"], "abc");
    assert_eq!(read.proofs(), [Proof::SealVerified]);
    assert_eq!(fs::read_to_string(place.blob(sum)).unwrap(), "abc");
}

#[test]
fn the_same_name_in_a_session_is_a_new_version_and_moves_the_head() {
    let place = Place::in_memory("keep-head");
    let mut store = place.session();
    let first = save(&mut store, "a", "one", &[]).unwrap();
    let second = save(&mut store, "a", "two", &[]).unwrap();
    assert_eq!(first.observed()["artifact_id"], second.observed()["artifact_id"]);
    assert_eq!(second.observed()["version"], 2);
    let heads = store.artifacts().unwrap();
    assert_eq!(heads.len(), 1);
    assert_eq!((heads[0].filename.as_str(), heads[0].intact), ("a", true));
    assert_eq!(heads[0].checksum, text(&second, "checksum"));
    // Another session has its own.
    store.open_session("benchmark").unwrap();
    assert_eq!(store.artifacts().unwrap(), []);
    assert_eq!(save(&mut store, "a", "one", &[]).unwrap().observed()["version"], 1);
}

#[test]
fn an_empty_file_and_binary_bytes_are_content_like_any_other() {
    let place = Place::in_memory("keep-empty");
    let mut store = place.session();
    let empty = version(&mut store, "empty", "");
    assert_eq!(store.read_artifact(&empty).unwrap().observed()["size"], 0);
    let mut bytes: &[u8] = &[0xff, 0, 0xfe];
    let saved = store
        .save_artifact(Save {
            filename: "b/inary",
            content_type: "application/octet-stream",
            content: &mut bytes,
            sha256: None,
            sources: &[],
            artifact: None,
            frame: None,
            step: "save",
        })
        .unwrap();
    let read = store.read_artifact(&text(&saved, "version_id")).unwrap();
    assert_eq!(read.observed().get("text"), None);
    let damaged = store.damage_artifact(&empty).unwrap();
    assert_eq!(damaged.proofs(), [Proof::FaultInjected]);
    assert_eq!(code(store.read_artifact(&empty)), Code::Digest);
}

#[test]
fn a_line_of_descent_is_found_by_edge_by_chain_by_kind_and_by_basis() {
    let place = Place::in_memory("keep-line");
    let mut store = place.session();
    let raw = version(&mut store, "raw", "1");
    let middle = text(&save(&mut store, "middle", "2", &[derived(&raw)]).unwrap(), "version_id");
    let read = Source { version_id: &middle, kind: EdgeKind::Read, basis: Basis::Claimed };
    let end = text(&save(&mut store, "end", "3", &[read]).unwrap(), "version_id");

    let one = store.assert_lineage(&ask(&raw, &middle)).unwrap();
    assert_eq!(one.proofs(), [Proof::EdgeVerified]);
    assert_eq!(one.observed()["length"], 1);
    assert_eq!(one.observed()["edges"][0]["kind"], "derived");
    assert_eq!(one.observed()["edges"][0]["basis"], "declared");

    assert_eq!(code(store.assert_lineage(&ask(&raw, &end))), Code::NoEdge);
    let chain = store.assert_lineage(&Ask { path: true, acyclic: true, ..ask(&raw, &end) }).unwrap();
    assert_eq!(chain.observed()["length"], 2);
    assert_eq!(chain.observed()["acyclic"], true);
    assert_eq!(chain.observed()["edges"][1]["output"], end.as_str());

    let wanting = Ask { basis: Some(Basis::Declared), ..ask(&middle, &end) };
    assert_eq!(code(store.assert_lineage(&wanting)), Code::NoEdge);
    assert!(store.assert_lineage(&Ask { kind: Some(EdgeKind::Read), ..ask(&middle, &end) }).is_ok());
    // No chain backwards, and none from a version to itself.
    assert_eq!(code(store.assert_lineage(&Ask { path: true, ..ask(&end, &raw) })), Code::NoEdge);
    assert_eq!(code(store.assert_lineage(&Ask { path: true, ..ask(&raw, &raw) })), Code::NoEdge);

    let none = store.assert_lineage(&Ask { absent: true, path: true, ..ask(&end, &raw) }).unwrap();
    assert_eq!(none.observed()["edges"], json!([]));
    assert_eq!(none.proofs(), []);
    assert_eq!(code(store.assert_lineage(&Ask { absent: true, ..ask(&raw, &middle) })), Code::Exists);
    assert_eq!(code(store.assert_lineage(&Ask { absent: true, ..ask("never_saved", &raw) })), Code::Unknown);
}

#[test]
fn a_line_of_descent_is_verified_down_to_its_bytes() {
    let place = Place::in_memory("keep-bytes");
    let mut store = place.session();
    let raw = version(&mut store, "raw", "1");
    let middle = text(&save(&mut store, "middle", "2", &[derived(&raw)]).unwrap(), "version_id");
    let end = text(&save(&mut store, "end", "3", &[derived(&middle)]).unwrap(), "version_id");
    store.damage_artifact(&middle).unwrap();
    for (input, output) in [(&raw, &middle), (&middle, &end), (&raw, &end)] {
        assert_eq!(code(store.assert_lineage(&Ask { path: true, ..ask(input, output) })), Code::Digest);
    }
    let heads = store.artifacts().unwrap();
    let intact: Vec<_> = heads.iter().map(|stored| (stored.filename.as_str(), stored.intact)).collect();
    assert_eq!(intact, [("end", true), ("middle", false), ("raw", true)]);
    // Storing the same bytes again heals what was damaged.
    version(&mut store, "copy", "2");
    assert!(store.assert_lineage(&Ask { path: true, ..ask(&raw, &end) }).is_ok());
}

#[test]
fn bytes_that_are_gone_or_replaced_by_a_link_have_no_digest_and_are_healed() {
    let place = Place::in_memory("keep-gone");
    let mut store = place.session();
    let saved = save(&mut store, "a", "abc", &[]).unwrap();
    let (id, blob) = (text(&saved, "version_id"), place.blob(&text(&saved, "checksum")));
    fs::remove_file(&blob).unwrap();
    assert_eq!(code(store.read_artifact(&id)), Code::Digest);
    assert_eq!(code(store.damage_artifact(&id)), Code::Digest);
    #[cfg(unix)]
    {
        // A link to the right bytes is not followed.
        let outside = place.path().join("outside");
        fs::write(&outside, "abc").unwrap();
        std::os::unix::fs::symlink(&outside, &blob).unwrap();
        assert_eq!(code(store.read_artifact(&id)), Code::Digest);
        version(&mut store, "b", "abc");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "abc");
        assert!(fs::symlink_metadata(&blob).unwrap().is_file());
    }
    fs::remove_dir_all(blob.parent().unwrap()).unwrap();
    assert_eq!(code(store.read_artifact(&id)), Code::Digest);
    version(&mut store, "c", "abc");
    assert!(store.read_artifact(&id).is_ok());
}

#[test]
fn bytes_that_are_there_rightly_are_not_written_again() {
    let place = Place::in_memory("keep-same");
    let mut store = place.session();
    let sum = text(&save(&mut store, "a", "abc", &[]).unwrap(), "checksum");
    let before = fs::metadata(place.blob(&sum)).unwrap();
    version(&mut store, "b", "abc");
    let after = fs::metadata(place.blob(&sum)).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        assert_eq!(before.ino(), after.ino());
        assert_eq!(after.mode() & 0o777, 0o600, "only this user reads it");
    }
}

#[test]
fn restoring_appends_a_version_with_an_edge_and_needs_the_head_that_is_expected() {
    let place = Place::in_memory("keep-restore");
    let mut store = place.session();
    let old = version(&mut store, "a", "one");
    let head = version(&mut store, "a", "two");
    let restore = |store: &mut Store, expected: &str, content: Option<&str>| {
        let mut bytes = content.unwrap_or_default().as_bytes();
        let content: Option<&mut dyn std::io::Read> = if content.is_some() { Some(&mut bytes) } else { None };
        store.restore_artifact(Restore {
            version_id: &old,
            expected_head: expected,
            content,
            step: "restore",
        })
    };
    let stale = refusal(restore(&mut store, &old, None));
    assert_eq!(stale.code, Code::Invalid);
    assert!(stale.message.contains(&head), "{}", stale.message);
    store.damage_artifact(&old).unwrap();
    assert_eq!(code(restore(&mut store, &head, None)), Code::Digest);
    assert_eq!(code(restore(&mut store, &head, Some("other"))), Code::Digest);
    let restored = restore(&mut store, &head, Some("one")).unwrap();
    assert_eq!(restored.observed()["version"], 3);
    assert_eq!(restored.observed()["restored_from"], old.as_str());
    let new = text(&restored, "version_id");
    let edge = store.assert_lineage(&Ask { kind: Some(EdgeKind::Restored), ..ask(&old, &new) }).unwrap();
    assert_eq!(edge.observed()["edges"][0]["basis"], "observed");
    assert_eq!(edge.observed()["edges"][0]["edge_id"], restored.observed()["edges"][0]);
    assert!(store.artifacts().unwrap()[0].intact);
}

#[test]
fn opening_a_project_again_keeps_it_and_begins_another_session() {
    let place = Place::in_memory("keep-project");
    let mut store = place.create();
    let first = store.open_session("benchmark").unwrap();
    let second = store.open_session("benchmark").unwrap();
    let other = store.open_session("another").unwrap();
    assert_eq!(first.observed()["project_id"], second.observed()["project_id"]);
    assert_ne!(first.observed()["root_frame_id"], second.observed()["root_frame_id"]);
    assert_ne!(first.observed()["project_id"], other.observed()["project_id"]);
}

#[test]
fn a_version_of_another_session_is_only_materialised_and_one_of_another_project_never() {
    let place = Place::in_memory("keep-foreign");
    let mut store = place.session();
    let old = save(&mut store, "a", "one", &[]).unwrap();
    let version_id = text(&old, "version_id");
    store.open_session("benchmark").unwrap();
    assert_eq!(code(save(&mut store, "b", "1", &[derived(&version_id)])), Code::Foreign);
    let taken = Source { version_id: &version_id, kind: EdgeKind::Materialised, basis: Basis::Observed };
    let new = text(&save(&mut store, "b", "one", &[taken]).unwrap(), "version_id");
    assert!(store.assert_lineage(&ask(&version_id, &new)).is_ok());
    assert_eq!(code(edge(&mut store, &new, &version_id)), Code::Foreign);
    store.open_session("another").unwrap();
    assert_eq!(code(save(&mut store, "c", "1", &[taken])), Code::Foreign);
    assert_eq!(code(store.read_artifact(&version_id)), Code::Foreign);
    assert_eq!(code(store.damage_artifact(&version_id)), Code::Foreign);
    assert_eq!(code(store.assert_lineage(&ask(&version_id, &new))), Code::Foreign);
}

#[test]
fn a_new_version_names_an_artifact_and_a_frame_of_its_own_session() {
    let place = Place::in_memory("keep-scope");
    let mut store = place.session();
    let first = text(&save(&mut store, "a", "one", &[]).unwrap(), "artifact_id");
    let child = text(&store.open_frame(None, FrameKind::Delegate).unwrap(), "frame_id");
    let save_as = |store: &mut Store, artifact: Option<&str>, frame: Option<&str>, filename: &str| {
        store.save_artifact(Save {
            filename,
            content_type: "text/plain",
            content: &mut "x".as_bytes(),
            sha256: None,
            sources: &[],
            artifact,
            frame,
            step: "save",
        })
    };
    assert_eq!(save_as(&mut store, Some(&first), Some(&child), "a").unwrap().observed()["version"], 2);
    assert_eq!(code(save_as(&mut store, Some(&first), None, "b")), Code::Invalid);
    assert_eq!(code(save_as(&mut store, Some("a-000000000000"), None, "a")), Code::Unknown);
    assert_eq!(code(save_as(&mut store, None, Some("f-000000000000"), "a")), Code::Unknown);
    store.open_session("benchmark").unwrap();
    assert_eq!(code(save_as(&mut store, Some(&first), None, "a")), Code::Foreign);
    assert_eq!(code(save_as(&mut store, None, Some(&child), "a")), Code::Foreign);
    store.open_session("another").unwrap();
    assert_eq!(code(save_as(&mut store, Some(&first), None, "a")), Code::Foreign);
}

#[test]
fn two_stores_that_do_the_same_have_the_same_ids_and_refusals_draw_none() {
    let told = |name: &str, refused: bool, case: &str| {
        let place = Place::in_memory(name);
        let mut store = Store::create(&place.root(), Moments::new(7, case)).unwrap();
        let mut told = vec![store.open_session("benchmark").unwrap()];
        if refused {
            save(&mut store, "a", "1", &[derived("v-000000000000")]).unwrap_err();
            save(&mut store, "../a", "1", &[]).unwrap_err();
        }
        let raw = save(&mut store, "raw", "1", &[]).unwrap();
        let id = text(&raw, "version_id");
        told.push(raw);
        drop(store);
        // Closing in between changes nothing.
        let mut store = Store::open(&place.root(), Moments::new(7, case)).unwrap();
        store.resume_session(&text(&told[0], "root_frame_id")).unwrap();
        told.push(save(&mut store, "derived", "2", &[derived(&id)]).unwrap());
        told
    };
    assert_eq!(told("keep-ids-1", false, "c"), told("keep-ids-2", true, "c"));
    assert_ne!(told("keep-ids-3", false, "c"), told("keep-ids-4", false, "d"));
}

#[test]
fn a_cell_is_what_its_step_saved_and_its_revisions_go_up() {
    let place = Place::in_memory("keep-cell");
    let mut store = place.session();
    assert_eq!(code(store.finish_cell(&End::silent(CellStatus::Ok))), Code::Invalid);
    let cell = store.begin_cell("save_raw", "{}").unwrap();
    assert_eq!(code(store.begin_cell("again", "{}")), Code::Exists);
    version(&mut store, "a", "1");
    let end = End { stdout: "done", wall_unix_ms: Some(5), ..End::silent(CellStatus::Ok) };
    let first = store.finish_cell(&end).unwrap();
    assert_eq!(first.observed()["producing_cell_id"], cell.as_str());
    assert_eq!(first.observed()["state_revision"], 1);
    // A save outside of a cell is one of its own.
    version(&mut store, "b", "2");
    store.begin_cell("fails", "{}").unwrap();
    let long = "x".repeat((1 << 20) + 1);
    assert_eq!(code(store.finish_cell(&End { stdout: &long, ..end })), Code::Quota);
    let failed = End { error: "it broke", ..End::silent(CellStatus::Error) };
    assert_eq!(store.finish_cell(&failed).unwrap().observed()["state_revision"], 3);
    assert_eq!(code(store.begin_cell("long", &long)), Code::Quota);
    drop(store);
    let raw = rusqlite::Connection::open(place.database()).unwrap();
    let row = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let of = "SELECT group_concat(step) FROM (SELECT step FROM artifact_versions JOIN cells
        ON cell_id = producing_cell_id ORDER BY artifact_versions.created_at)";
    assert_eq!(row(of), "save_raw,save");
    let log = "SELECT group_concat(status || coalesce(error, '')) FROM
        (SELECT * FROM execution_log ORDER BY state_revision)";
    assert_eq!(row(log), "ok,ok,errorit broke");
}

#[test]
fn a_cell_that_was_running_is_interrupted_when_the_store_is_opened_again() {
    let place = Place::in_memory("keep-running");
    let mut store = place.session();
    store.begin_cell("hangs", "{}").unwrap();
    drop(store);
    drop(place.open());
    drop(place.open());
    let raw = rusqlite::Connection::open(place.database()).unwrap();
    let log = "SELECT group_concat(status || ':' || error) FROM execution_log";
    let found: String = raw.query_row(log, [], |row| row.get(0)).unwrap();
    assert_eq!(found, "interrupted:the process ended");
}

#[test]
fn frames_stand_below_each_other_and_end_once() {
    let place = Place::in_memory("keep-frame");
    let mut store = place.create();
    let root = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
    let child = store.open_frame(None, FrameKind::Delegate).unwrap();
    assert_eq!(child.observed()["depth"], 1);
    assert_eq!(child.observed()["root_frame_id"], root.as_str());
    let child = text(&child, "frame_id");
    let below = store.open_frame(Some(&child), FrameKind::CompactionFork).unwrap();
    assert_eq!(below.observed()["depth"], 2);
    assert_eq!(code(store.open_frame(Some("f-000000000000"), FrameKind::Turn)), Code::Unknown);
    store.close_frame(&child, FrameStatus::AwaitingUserResponse).unwrap();
    store.close_frame(&child, FrameStatus::Done).unwrap();
    assert_eq!(code(store.close_frame(&child, FrameStatus::Running)), Code::Invalid);
    assert_eq!(code(store.close_frame(&root, FrameStatus::Done)), Code::Invalid);
    assert_eq!(code(store.seal_session(FrameStatus::Running)), Code::Invalid);
    assert_eq!(store.seal_session(FrameStatus::Done).unwrap().observed()["status"], "done");
    assert_eq!(code(store.seal_session(FrameStatus::Done)), Code::NoSession);
    assert_eq!(code(store.resume_session(&root)), Code::Invalid);
    assert_eq!(code(store.resume_session(&child)), Code::Foreign);
    assert_eq!(code(store.resume_session("f-0")), Code::Unknown);
    store.open_session("benchmark").unwrap();
    assert_eq!(code(store.open_frame(Some(&child), FrameKind::Turn)), Code::Foreign);
    assert_eq!(code(store.close_frame(&child, FrameStatus::Done)), Code::Foreign);
    let mut parent = None;
    for depth in 1..=65 {
        let made = store.open_frame(parent.as_deref(), FrameKind::Delegate);
        if depth == 65 {
            assert_eq!(code(made), Code::Quota);
        } else {
            parent = Some(text(&made.unwrap(), "frame_id"));
        }
    }
}

#[test]
fn without_a_session_nothing_is_done() {
    let place = Place::in_memory("keep-none");
    let mut store = place.create();
    let refused = [
        save(&mut store, "a", "1", &[]).map(drop),
        edge(&mut store, "a", "b").map(drop),
        store.read_artifact("a").map(drop),
        store.damage_artifact("a").map(drop),
        store.assert_lineage(&ask("a", "b")).map(drop),
        store.artifacts().map(drop),
        store.begin_cell("a", "").map(drop),
        store.open_frame(None, FrameKind::Turn).map(drop),
        store.seal_session(FrameStatus::Done).map(drop),
    ];
    for result in refused {
        assert_eq!(code(result), Code::NoSession);
    }
    let restore = Restore { version_id: "a", expected_head: "a", content: None, step: "" };
    assert_eq!(code(store.restore_artifact(restore)), Code::NoSession);
}

#[test]
fn a_store_is_made_once_and_opened_by_one_at_a_time() {
    let place = Place::in_memory("keep-once");
    let store = place.session();
    assert_eq!(code(Store::create(&place.root(), moments())), Code::Exists);
    let taken = Store::open(&place.root(), moments());
    assert!(crate::stand::failure(taken).contains("in use by another process"));
    drop(store);
    place.open();
}
