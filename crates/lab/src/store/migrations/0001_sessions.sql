-- Projects, sessions and what was done in them. Rows that say what happened are never changed and never leave.

-- How many ids were drawn, and the logical time of the last operation.
CREATE TABLE clock (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    drawn INTEGER NOT NULL CHECK (drawn >= 0),
    now_ms INTEGER NOT NULL CHECK (now_ms >= 946684800000)
) STRICT, WITHOUT ROWID;

INSERT INTO clock (one, drawn, now_ms) VALUES (1, 0, 946684800000);

CREATE TRIGGER clock_goes_on BEFORE UPDATE ON clock
WHEN NEW.drawn < OLD.drawn OR NEW.now_ms < OLD.now_ms
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the clock does not go back'); END;
CREATE TRIGGER clock_stays BEFORE DELETE ON clock
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the clock stays'); END;
CREATE TRIGGER clock_is_one BEFORE INSERT ON clock WHEN EXISTS (SELECT 1 FROM clock)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is a clock already'); END;

CREATE TABLE projects (
    project_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(project_id) = 17 AND project_id GLOB 'proj_*' AND substr(project_id, 6) NOT GLOB '*[^0-9a-f]*'),
    name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER projects_are_never_replaced BEFORE INSERT ON projects
WHEN EXISTS (SELECT 1 FROM projects WHERE project_id = NEW.project_id OR name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such a project already'); END;
CREATE TRIGGER projects_never_change BEFORE UPDATE ON projects
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a project is never changed'); END;
CREATE TRIGGER projects_stay BEFORE DELETE ON projects
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a project is never removed'); END;

CREATE TABLE frames (
    frame_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(frame_id) = 14 AND frame_id GLOB 'f-*' AND substr(frame_id, 3) NOT GLOB '*[^0-9a-f]*'),
    parent_id TEXT,
    root_frame_id TEXT NOT NULL,
    project_id TEXT NOT NULL REFERENCES projects (project_id),
    kind TEXT NOT NULL CHECK (kind IN ('turn', 'delegate', 'compaction_fork')),
    status TEXT NOT NULL CHECK (status IN ('processing', 'done', 'failed', 'awaiting_user_response', 'running')),
    depth INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 64),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
    UNIQUE (frame_id, root_frame_id, project_id),
    FOREIGN KEY (root_frame_id, project_id) REFERENCES session_roots (root_frame_id, project_id)
        DEFERRABLE INITIALLY DEFERRED,
    -- A child is of the session and the project of its parent.
    FOREIGN KEY (parent_id, root_frame_id, project_id) REFERENCES frames (frame_id, root_frame_id, project_id),
    CHECK ((parent_id IS NULL) = (root_frame_id = frame_id)),
    CHECK ((parent_id IS NULL) = (depth = 0))
) STRICT, WITHOUT ROWID;

-- The frames that are the root of a session: what belongs to a session names one of them.
CREATE TABLE session_roots (
    root_frame_id TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL,
    UNIQUE (root_frame_id, project_id),
    FOREIGN KEY (root_frame_id, root_frame_id, project_id) REFERENCES frames (frame_id, root_frame_id, project_id)
        DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE TRIGGER session_roots_are_never_replaced BEFORE INSERT ON session_roots
WHEN EXISTS (SELECT 1 FROM session_roots WHERE root_frame_id = NEW.root_frame_id)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such a session already'); END;
CREATE TRIGGER session_roots_never_change BEFORE UPDATE ON session_roots
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the root of a session is never changed'); END;
CREATE TRIGGER session_roots_stay BEFORE DELETE ON session_roots
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the root of a session is never removed'); END;

CREATE TRIGGER frames_are_never_replaced BEFORE INSERT ON frames
WHEN EXISTS (SELECT 1 FROM frames WHERE frame_id = NEW.frame_id)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such a frame already'); END;
CREATE TRIGGER frames_are_as_deep_as_they_stand BEFORE INSERT ON frames
WHEN NEW.parent_id IS NOT NULL
    AND NEW.depth IS NOT (SELECT depth + 1 FROM frames WHERE frame_id = NEW.parent_id)
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a frame is one deeper than its parent'); END;
CREATE TRIGGER frames_change_only_their_status BEFORE UPDATE ON frames
WHEN NEW.frame_id IS NOT OLD.frame_id OR NEW.parent_id IS NOT OLD.parent_id
    OR NEW.root_frame_id IS NOT OLD.root_frame_id OR NEW.project_id IS NOT OLD.project_id
    OR NEW.kind IS NOT OLD.kind OR NEW.depth IS NOT OLD.depth OR NEW.created_at IS NOT OLD.created_at
    OR OLD.status IN ('done', 'failed')
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a frame that has ended stays as it is, and others change only their status'); END;
CREATE TRIGGER frames_stay BEFORE DELETE ON frames
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a frame is never removed'); END;

-- What was begun. What it came to stands in `execution_log`; a cell without a row there was running when the process ended.
CREATE TABLE cells (
    cell_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(cell_id) = 14 AND cell_id GLOB 'c-*' AND substr(cell_id, 3) NOT GLOB '*[^0-9a-f]*'),
    frame_id TEXT NOT NULL,
    root_frame_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    cell_seq INTEGER NOT NULL CHECK (cell_seq >= 1),
    language TEXT NOT NULL CHECK (language IN ('step', 'python', 'r')),
    step TEXT NOT NULL CHECK (length(step) <= 255),
    code TEXT NOT NULL,
    code_hash TEXT NOT NULL CHECK (length(code_hash) = 64 AND code_hash NOT GLOB '*[^0-9a-f]*'),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    UNIQUE (root_frame_id, cell_seq),
    FOREIGN KEY (frame_id, root_frame_id, project_id) REFERENCES frames (frame_id, root_frame_id, project_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER cells_are_never_replaced BEFORE INSERT ON cells
WHEN EXISTS (
    SELECT 1 FROM cells
    WHERE cell_id = NEW.cell_id OR (root_frame_id = NEW.root_frame_id AND cell_seq = NEW.cell_seq)
)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such a cell already'); END;
CREATE TRIGGER cells_never_change BEFORE UPDATE ON cells
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a cell is never changed'); END;
CREATE TRIGGER cells_stay BEFORE DELETE ON cells
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a cell is never removed'); END;

CREATE TABLE execution_log (
    producing_cell_id TEXT NOT NULL PRIMARY KEY REFERENCES cells (cell_id),
    -- The session of the cell, whose revision it is.
    root_frame_id TEXT NOT NULL REFERENCES session_roots (root_frame_id),
    state_revision INTEGER NOT NULL CHECK (state_revision >= 1),
    status TEXT NOT NULL CHECK (status IN ('ok', 'error', 'interrupted')),
    stdout TEXT NOT NULL,
    stderr TEXT NOT NULL,
    error TEXT CHECK ((error IS NULL) = (status = 'ok')),
    -- By the clock on the wall, where it was told: the only column that differs between two runs of the same.
    wall_unix_ms INTEGER CHECK (wall_unix_ms >= 0),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    UNIQUE (root_frame_id, state_revision)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER execution_log_only_grows BEFORE INSERT ON execution_log
WHEN EXISTS (SELECT 1 FROM execution_log WHERE producing_cell_id = NEW.producing_cell_id)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: the cell has ended already'); END;
CREATE TRIGGER execution_log_is_of_the_session BEFORE INSERT ON execution_log
WHEN NEW.root_frame_id IS NOT (SELECT root_frame_id FROM cells WHERE cell_id = NEW.producing_cell_id)
BEGIN SELECT RAISE(ABORT, 'E_FOREIGN: the cell belongs to another session'); END;
CREATE TRIGGER execution_log_goes_on BEFORE INSERT ON execution_log
WHEN NEW.state_revision
    <= (SELECT max(state_revision) FROM execution_log WHERE root_frame_id = NEW.root_frame_id)
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the revision of a session does not go back'); END;
CREATE TRIGGER execution_log_never_changes BEFORE UPDATE ON execution_log
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the execution log is never changed'); END;
CREATE TRIGGER execution_log_stays BEFORE DELETE ON execution_log
BEGIN SELECT RAISE(ABORT, 'E_INVALID: nothing leaves the execution log'); END;
