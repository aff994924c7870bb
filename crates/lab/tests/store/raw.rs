//! Statements that do not come from us: each rule of the schema stands in the file itself.

use crate::stand::{Place, derived, save, text, version};
use rehearsal_lab::store::{Basis, CellStatus, EdgeKind, FrameKind, FrameStatus, Language};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// A store with all sorts of rows, opened by somebody else; references are kept, as any program can ask for.
struct Raw {
    sql: Connection,
    project: String,
    root: String,
    child: String,
    cell: String,
    artifact: String,
    versions: [String; 3],
    /// The artifact, version, cell and root frame of another session of the project.
    its: [String; 4],
    /// A version of another project.
    far: String,
    _place: Place,
}

impl Raw {
    fn new(name: &str) -> Self {
        let place = Place::in_memory(name);
        let mut store = place.create();
        let session = store.open_session("benchmark").unwrap();
        let child = text(&store.open_frame(None, FrameKind::Delegate).unwrap(), "frame_id");
        let raw = save(&mut store, "raw", "1", &[]).unwrap();
        let one = text(&raw, "version_id");
        let two = text(&save(&mut store, "raw", "2", &[derived(&one)]).unwrap(), "version_id");
        let three = text(&save(&mut store, "end", "3", &[derived(&two)]).unwrap(), "version_id");
        let other = text(&store.open_session("benchmark").unwrap(), "root_frame_id");
        let it = save(&mut store, "it", "4", &[]).unwrap();
        store.open_session("another").unwrap();
        let far = version(&mut store, "far", "5");
        drop(store);
        let sql = Connection::open(place.database()).unwrap();
        sql.execute_batch("PRAGMA foreign_keys = on").unwrap();
        let of = "SELECT producing_cell_id FROM artifact_versions WHERE version_id = ?1";
        let its_cell = sql.query_row(of, [text(&it, "version_id")], |row| row.get(0)).unwrap();
        let cell = sql
            .query_row(
                "SELECT producing_cell_id FROM artifact_versions WHERE version_id = ?1",
                [&one],
                |row| row.get(0),
            )
            .unwrap();
        Self {
            sql,
            project: text(&session, "project_id"),
            root: text(&session, "root_frame_id"),
            child,
            cell,
            artifact: text(&raw, "artifact_id"),
            versions: [one, two, three],
            its: [text(&it, "artifact_id"), text(&it, "version_id"), its_cell, other],
            far,
            _place: place,
        }
    }

    /// Runs a statement with its names filled in; what was refused is undone.
    fn run(&self, statement: &str) -> Result<(), String> {
        let [one, two, three] = &self.versions;
        let mut filled = statement.to_owned();
        for (name, value) in [
            ("$its_artifact", &self.its[0]),
            ("$its_cell", &self.its[2]),
            ("$its", &self.its[1]),
            ("$other", &self.its[3]),
            ("$far", &self.far),
            ("$project", &self.project),
            ("$root", &self.root),
            ("$child", &self.child),
            ("$cell", &self.cell),
            ("$artifact", &self.artifact),
            ("$one", one),
            ("$two", two),
            ("$three", three),
            ("$sum", &"0a".repeat(32)),
            ("$now", &"946684900000".to_owned()),
        ] {
            let value = if name == "$now" { value.clone() } else { format!("'{value}'") };
            filled = filled.replace(name, &value);
        }
        self.sql.execute_batch("BEGIN").unwrap();
        let done = self.sql.execute_batch(&filled).and_then(|()| self.sql.execute_batch("COMMIT"));
        if done.is_err() {
            drop(self.sql.execute_batch("ROLLBACK"));
        }
        done.map_err(|error| error.to_string())
    }

    #[track_caller]
    fn refuses(&self, statement: &str) {
        self.says(statement, &["constraint", "E_", "cannot store", "no column named"]);
    }

    /// The same, by one of these words: each rule is the one that refuses, not another one by accident.
    #[track_caller]
    fn says(&self, statement: &str, words: &[&str]) {
        let Err(said) = self.run(statement) else { panic!("{statement}: it is taken") };
        assert!(words.iter().any(|word| said.contains(word)), "{statement}: {said}");
    }
}

const VERSION: &str = "INSERT INTO artifact_versions (version_id, artifact_id, ordinal, content_type,
    size_bytes, checksum, producing_cell_id, frame_id, created_at) VALUES ";
const EDGE: &str = "INSERT INTO lineage_edges (edge_id, input_version_id, output_version_id, kind, basis,
    producing_cell_id, frame_id, created_at) VALUES ";
const FRAME: &str = "INSERT INTO frames (frame_id, parent_id, root_frame_id, project_id, kind, status, depth,
    created_at, updated_at) VALUES ";
const CELL: &str =
    "INSERT INTO cells (cell_id, frame_id, root_frame_id, project_id, cell_seq, language, step, code,
    code_hash, created_at) VALUES ";
const LOG: &str =
    "INSERT INTO execution_log (producing_cell_id, root_frame_id, state_revision, status, stdout,
    stderr, error, created_at) VALUES ";

#[test]
fn what_is_right_is_taken() {
    let raw = Raw::new("raw-right");
    for statement in [
        format!("{VERSION}('v-00000000000a', $artifact, 3, 't', 0, $sum, $cell, $root, $now)"),
        format!("{EDGE}('e-00000000000a', $one, $three, 'read', 'claimed', $cell, $child, $now)"),
        format!("{EDGE}('e-00000000000b', $its, $three, 'materialised', 'observed', $cell, $root, $now)"),
        format!("{FRAME}('f-00000000000a', $child, $root, $project, 'turn', 'processing', 2, $now, $now)"),
        format!("{CELL}('c-00000000000a', $child, $root, $project, 99, 'python', '', '', $sum, $now)"),
        format!("{LOG}('c-00000000000a', $root, 99, 'error', '', '', 'x', $now)"),
        "UPDATE artifacts SET latest_version_id = 'v-00000000000a' WHERE artifact_id = $artifact".to_owned(),
        "UPDATE clock SET drawn = drawn + 1".to_owned(),
    ] {
        raw.run(&statement).unwrap_or_else(|said| panic!("{statement}: {said}"));
    }
}

#[test]
fn every_value_of_a_version_is_checked() {
    let raw = Raw::new("raw-version");
    let id = "'v-00000000000a'";
    for row in [
        // Size, digest, media type, ordinal.
        format!("({id}, $artifact, 3, 't', -5, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 67108865, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 'many', $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 1.5, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 0, 'text', $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 0, upper($sum), $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 0, NULL, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, '', 0, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 0, 't', 0, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 9, 't', 0, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 2, 't', 0, $sum, $cell, $root, $now)"),
        // Ids and references.
        "('x', $artifact, 3, 't', 0, $sum, $cell, $root, $now)".to_owned(),
        "('v-00000000000A', $artifact, 3, 't', 0, $sum, $cell, $root, $now)".to_owned(),
        "($one, $artifact, 3, 't', 0, $sum, $cell, $root, $now)".to_owned(),
        format!("({id}, 'a-000000000000', 1, 't', 0, $sum, $cell, $root, $now)"),
        // Another session's artifact, frame and cell.
        format!("({id}, $artifact, 3, 't', 0, $sum, $cell, $other, $now)"),
        format!("({id}, $artifact, 3, 't', 0, $sum, $its_cell, $root, $now)"),
        format!("({id}, $its_artifact, 2, 't', 0, $sum, $cell, $root, $now)"),
        format!("({id}, $artifact, 3, 't', 0, $sum, 'c-000000000000', $root, $now)"),
        format!("({id}, $artifact, 3, 't', 0, $sum, $cell, 'f-000000000000', $now)"),
        format!("({id}, $artifact, 3, 't', 0, $sum, $cell, $root, 5)"),
    ] {
        raw.refuses(&format!("{VERSION}{row}"));
    }
    raw.refuses("INSERT INTO artifact_versions (version_id, path) VALUES ('v-00000000000a', '/etc/passwd')");
}

#[test]
fn every_value_of_an_edge_is_checked() {
    let raw = Raw::new("raw-edge");
    let id = "'e-00000000000a'";
    for row in [
        // Itself, a circle of two, one of three, one that is there.
        format!("({id}, $one, $one, 'read', 'claimed', $cell, $root, $now)"),
        format!("({id}, $two, $one, 'read', 'claimed', $cell, $root, $now)"),
        format!("({id}, $three, $one, 'read', 'claimed', $cell, $root, $now)"),
        format!("({id}, $one, $two, 'read', 'claimed', $cell, $root, $now)"),
        // Words, references.
        format!("({id}, $one, $three, 'stolen', 'claimed', $cell, $root, $now)"),
        format!("({id}, $one, $three, 'read', 'believed', $cell, $root, $now)"),
        format!("({id}, 'v-000000000000', $three, 'read', 'claimed', $cell, $root, $now)"),
        format!("({id}, $one, 'v-000000000000', 'read', 'claimed', $cell, $root, $now)"),
        format!("({id}, $one, $three, 'read', 'claimed', NULL, $root, $now)"),
        // Another session's, another project's.
        format!("({id}, $its, $three, 'derived', 'claimed', $cell, $root, $now)"),
        format!("({id}, $its, $three, 'materialised', 'claimed', $cell, $other, $now)"),
        format!("({id}, $its, $three, 'materialised', 'claimed', $its_cell, $root, $now)"),
        format!("({id}, $far, $three, 'materialised', 'claimed', $cell, $root, $now)"),
        "('e-0', $one, $three, 'read', 'claimed', $cell, $root, $now)".to_owned(),
    ] {
        raw.refuses(&format!("{EDGE}{row}"));
        raw.refuses(&format!("{EDGE}{row}").replace("INSERT", "INSERT OR REPLACE"));
    }
}

#[test]
fn every_value_of_a_frame_and_a_cell_is_checked() {
    let raw = Raw::new("raw-frame");
    for row in [
        "('f-00000000000a', $child, $root, $project, 'dance', 'running', 2, $now, $now)",
        "('f-00000000000a', $child, $root, $project, 'turn', 'asleep', 2, $now, $now)",
        "('f-00000000000a', $child, $root, $project, 'turn', 'running', 1, $now, $now)",
        "('f-00000000000a', $child, $root, $project, 'turn', 'running', 2, $now, 5)",
        "('f-00000000000a', $child, $child, $project, 'turn', 'running', 2, $now, $now)",
        "('f-00000000000a', 'f-000000000000', $root, $project, 'turn', 'running', 2, $now, $now)",
        "('f-00000000000a', $child, $root, 'proj_000000000000', 'turn', 'running', 2, $now, $now)",
        // An orphan is no root of a session by itself, and one that names a root has a parent.
        "('f-00000000000a', NULL, 'f-00000000000a', $project, 'turn', 'running', 0, $now, $now)",
        "('f-00000000000a', NULL, $root, $project, 'turn', 'running', 0, $now, $now)",
        "('f-a', $child, $root, $project, 'turn', 'running', 2, $now, $now)",
    ] {
        raw.refuses(&format!("{FRAME}{row}"));
    }
    raw.refuses("INSERT INTO session_roots VALUES ($child, $project)");
    for row in [
        "('c-00000000000a', $root, $root, $project, 99, 'perl', '', '', $sum, $now)",
        "('c-00000000000a', $root, $root, $project, 0, 'r', '', '', $sum, $now)",
        "('c-00000000000a', $root, $root, $project, 1, 'r', '', '', $sum, $now)",
        "('c-00000000000a', $root, $root, $project, 99, 'r', '', '', 'sum', $now)",
        "('c-00000000000a', $root, $child, $project, 99, 'r', '', '', $sum, $now)",
        "($cell, $root, $root, $project, 99, 'r', '', '', $sum, $now)",
    ] {
        raw.refuses(&format!("{CELL}{row}"));
    }
    raw.run(&format!("{CELL}('c-00000000000a', $root, $root, $project, 99, 'r', '', '', $sum, $now)"))
        .unwrap();
    for row in [
        "('c-00000000000a', $root, 99, 'fine', '', '', NULL, $now)",
        "('c-00000000000a', $root, 99, 'ok', '', '', 'an error', $now)",
        "('c-00000000000a', $root, 99, 'error', '', '', NULL, $now)",
        // A revision that does not go up, a cell that has ended, one of another frame, one that never began.
        "('c-00000000000a', $root, 1, 'ok', '', '', NULL, $now)",
        "('c-00000000000a', $root, 0, 'ok', '', '', NULL, $now)",
        "($cell, $root, 99, 'ok', '', '', NULL, $now)",
        "('c-00000000000a', $child, 99, 'ok', '', '', NULL, $now)",
        "('c-000000000000', $root, 99, 'ok', '', '', NULL, $now)",
    ] {
        raw.refuses(&format!("{LOG}{row}"));
    }
    raw.says(&format!("{LOG}('c-00000000000a', $other, 99, 'ok', '', '', NULL, $now)"), &["E_FOREIGN"]);
    // A revision that nobody has, but that lies before the last one.
    raw.run(&format!("{CELL}('c-00000000000b', $root, $root, $project, 100, 'r', '', '', $sum, $now)"))
        .unwrap();
    raw.run(&format!("{LOG}('c-00000000000b', $root, 99, 'ok', '', '', NULL, $now)")).unwrap();
    raw.says(&format!("{LOG}('c-00000000000a', $root, 98, 'ok', '', '', NULL, $now)"), &["E_INVALID"]);
}

#[test]
fn what_happened_is_never_changed_and_never_leaves() {
    let raw = Raw::new("raw-change");
    for table in [
        "clock",
        "projects",
        "session_roots",
        "frames",
        "cells",
        "execution_log",
        "artifacts",
        "artifact_versions",
        "lineage_edges",
    ] {
        raw.says(&format!("DELETE FROM {table}"), &["E_INVALID"]);
    }
    for change in [
        "UPDATE projects SET name = 'x'",
        "UPDATE session_roots SET project_id = project_id",
        "UPDATE cells SET step = 'x'",
        "UPDATE execution_log SET status = 'error', error = ''",
        "UPDATE artifact_versions SET checksum = $sum",
        "UPDATE lineage_edges SET kind = 'read'",
        "UPDATE artifacts SET filename = 'x'",
        "UPDATE artifacts SET latest_version_id = $one WHERE artifact_id = $artifact",
        "UPDATE frames SET parent_id = NULL",
        "UPDATE frames SET kind = 'turn', depth = 1",
        "UPDATE frames SET status = 'done'; UPDATE frames SET status = 'running'",
        "UPDATE clock SET drawn = 0",
        "UPDATE clock SET now_ms = now_ms - 1",
    ] {
        raw.says(change, &["E_INVALID"]);
    }
    for change in [
        "UPDATE artifacts SET latest_version_id = $three WHERE artifact_id = $artifact",
        "UPDATE artifacts SET latest_version_id = 'v-000000000000' WHERE artifact_id = $artifact",
        "UPDATE frames SET status = 'asleep'",
        "INSERT INTO clock VALUES (1, 0, $now)",
        "INSERT OR REPLACE INTO clock VALUES (1, 0, $now)",
    ] {
        raw.refuses(change);
    }
}

#[test]
fn nothing_is_replaced() {
    let raw = Raw::new("raw-replace");
    for insert in [
        "INTO projects VALUES ($project, 'other', $now)",
        "INTO projects VALUES ('proj_00000000000a', 'benchmark', $now)",
        "INTO session_roots VALUES ($root, $project)",
        "INTO frames SELECT * FROM frames",
        "INTO cells SELECT * FROM cells",
        "INTO execution_log SELECT * FROM execution_log",
        "INTO artifacts SELECT * FROM artifacts",
        "INTO artifact_versions SELECT * FROM artifact_versions",
        "INTO lineage_edges SELECT * FROM lineage_edges",
        "INTO artifacts VALUES ('a-00000000000a', $project, $root, 'raw', $one, $now, $now)",
    ] {
        // Where a row must follow another one, that may be said first.
        let words = ["E_EXISTS", "E_INVALID: the revision", "E_INVALID: a version is the next one"];
        raw.says(&format!("INSERT OR REPLACE {insert}"), &words);
        raw.says(&format!("INSERT {insert}"), &words);
    }
    let version = format!("{VERSION}($one, $artifact, 3, 't', 0, $sum, $cell, $root, $now)");
    let log = format!("{LOG}($cell, $root, 99, 'ok', '', '', NULL, $now)");
    for statement in [version, log] {
        raw.says(&statement.replace("INSERT", "INSERT OR REPLACE"), &["E_EXISTS"]);
    }
    for name in
        ["'/etc/passwd'", "'../x'", "'a/../b'", "'..'", "''", "'a\\b'", "'a' || char(0)", "NULL", "5.5"]
    {
        // The head is one of its own, so the name alone is wrong.
        let made = format!(
            "INSERT INTO artifacts VALUES ('a-00000000000a', $project, $root, {name}, 'v-00000000000a', $now, $now);
             {VERSION}('v-00000000000a', 'a-00000000000a', 1, 't', 0, $sum, $cell, $root, $now)"
        );
        if name == "5.5" {
            // Numbers become text in a column of texts.
            raw.run(&made).unwrap();
        } else {
            raw.refuses(&made);
        }
    }
    // An artifact without a version, and one whose head is another's.
    raw.refuses(
        "INSERT INTO artifacts VALUES ('a-00000000000b', $project, $root, 'n', 'v-00000000000b', $now, $now)",
    );
    raw.refuses("INSERT INTO artifacts VALUES ('a-00000000000b', $project, $root, 'n', $one, $now, $now)");
}

/// The words of a column's check.
fn words(sql: &Connection, table: &str, column: &str) -> BTreeSet<String> {
    let schema: String =
        sql.query_row("SELECT sql FROM sqlite_schema WHERE name = ?1", [table], |row| row.get(0)).unwrap();
    let (_, list) = schema.split_once(&format!("CHECK ({column} IN (")).unwrap();
    let (list, _) = list.split_once(')').unwrap();
    list.split(", ").map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn the_words_of_the_schema_are_those_of_the_program() {
    let raw = Raw::new("raw-words");
    let set = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    for (table, column, of) in [
        ("frames", "kind", set(FrameKind::ALL.iter().map(|row| row.word()).collect())),
        ("frames", "status", set(FrameStatus::ALL.iter().map(|row| row.word()).collect())),
        ("cells", "language", set(Language::ALL.iter().map(|row| row.word()).collect())),
        ("execution_log", "status", set(CellStatus::ALL.iter().map(|row| row.word()).collect())),
        ("lineage_edges", "kind", set(EdgeKind::ALL.iter().map(|row| row.word()).collect())),
        ("lineage_edges", "basis", set(Basis::ALL.iter().map(|row| row.word()).collect())),
    ] {
        assert_eq!(words(&raw.sql, table, column), of, "{table}.{column}");
    }
}

#[test]
fn a_change_behind_our_back_is_noticed_when_the_store_is_opened() {
    for (name, change, said) in [
        ("raw-trigger", "DROP TRIGGER artifact_versions_never_change", "changed by another program"),
        ("raw-table", "CREATE TABLE more (x)", "changed by another program"),
        ("raw-newer", "PRAGMA user_version = 4", "use a newer program"),
        ("raw-other", "PRAGMA application_id = 4", "another program"),
        (
            "raw-reference",
            "PRAGMA foreign_keys = off; INSERT INTO session_roots VALUES ('f-00000000000b', 'proj_00000000000b')",
            "leads nowhere",
        ),
    ] {
        let place = Place::in_memory(name);
        let mut store = place.session();
        version(&mut store, "a", "1");
        drop(store);
        Connection::open(place.database()).unwrap().execute_batch(change).unwrap();
        let opened = rehearsal_lab::store::Store::open(&place.root(), crate::stand::moments());
        let sentence = crate::stand::failure(opened);
        assert!(sentence.contains(said), "{sentence}");
    }
}
