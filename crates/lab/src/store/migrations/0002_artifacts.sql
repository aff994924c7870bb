-- Artifacts and their versions. A version has no path: its bytes lie where its checksum says, and nowhere else.

CREATE TABLE artifacts (
    artifact_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(artifact_id) = 14 AND artifact_id GLOB 'a-*' AND substr(artifact_id, 3) NOT GLOB '*[^0-9a-f]*'),
    project_id TEXT NOT NULL,
    root_frame_id TEXT NOT NULL,
    filename TEXT NOT NULL CHECK (
        length(CAST(filename AS BLOB)) BETWEEN 1 AND 1024
        AND filename NOT GLOB '/*' AND instr(filename, '\') = 0 AND instr(filename, char(0)) = 0
        AND instr('/' || filename || '/', '/../') = 0
    ),
    latest_version_id TEXT NOT NULL,
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    updated_at INTEGER NOT NULL CHECK (updated_at >= created_at),
    UNIQUE (root_frame_id, filename),
    FOREIGN KEY (root_frame_id, project_id) REFERENCES session_roots (root_frame_id, project_id),
    -- The head is one of the artifact's own versions; the first of them comes after the artifact, in the same transaction.
    FOREIGN KEY (latest_version_id, artifact_id) REFERENCES artifact_versions (version_id, artifact_id)
        DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;

CREATE TABLE artifact_versions (
    version_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(version_id) = 14 AND version_id GLOB 'v-*' AND substr(version_id, 3) NOT GLOB '*[^0-9a-f]*'),
    artifact_id TEXT NOT NULL REFERENCES artifacts (artifact_id),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
    content_type TEXT NOT NULL CHECK (length(content_type) BETWEEN 1 AND 255),
    size_bytes INTEGER NOT NULL CHECK (size_bytes BETWEEN 0 AND 67108864),
    checksum TEXT NOT NULL CHECK (length(checksum) = 64 AND checksum NOT GLOB '*[^0-9a-f]*'),
    producing_cell_id TEXT NOT NULL REFERENCES cells (cell_id),
    frame_id TEXT NOT NULL REFERENCES frames (frame_id),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    UNIQUE (artifact_id, ordinal),
    UNIQUE (version_id, artifact_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER artifacts_are_never_replaced BEFORE INSERT ON artifacts
WHEN EXISTS (
    SELECT 1 FROM artifacts
    WHERE artifact_id = NEW.artifact_id OR (root_frame_id = NEW.root_frame_id AND filename = NEW.filename)
)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such an artifact already'); END;
CREATE TRIGGER artifacts_change_only_their_head BEFORE UPDATE ON artifacts
WHEN NEW.artifact_id IS NOT OLD.artifact_id OR NEW.project_id IS NOT OLD.project_id
    OR NEW.root_frame_id IS NOT OLD.root_frame_id OR NEW.filename IS NOT OLD.filename
    OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'E_INVALID: of an artifact only the head changes'); END;
CREATE TRIGGER artifacts_heads_go_on BEFORE UPDATE ON artifacts
WHEN NEW.latest_version_id IS NOT OLD.latest_version_id
    AND (SELECT ordinal FROM artifact_versions WHERE version_id = NEW.latest_version_id)
        <= (SELECT ordinal FROM artifact_versions WHERE version_id = OLD.latest_version_id)
BEGIN SELECT RAISE(ABORT, 'E_INVALID: the head of an artifact does not go back'); END;
CREATE TRIGGER artifacts_stay BEFORE DELETE ON artifacts
BEGIN SELECT RAISE(ABORT, 'E_INVALID: an artifact is never removed'); END;

CREATE TRIGGER artifact_versions_are_never_replaced BEFORE INSERT ON artifact_versions
WHEN EXISTS (
    SELECT 1 FROM artifact_versions
    WHERE version_id = NEW.version_id OR (artifact_id = NEW.artifact_id AND ordinal = NEW.ordinal)
)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such a version already'); END;
CREATE TRIGGER artifact_versions_follow_each_other BEFORE INSERT ON artifact_versions
WHEN NEW.ordinal
    <> 1 + coalesce((SELECT max(ordinal) FROM artifact_versions WHERE artifact_id = NEW.artifact_id), 0)
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a version is the next one of its artifact'); END;
CREATE TRIGGER artifact_versions_are_of_one_session BEFORE INSERT ON artifact_versions
WHEN (SELECT root_frame_id FROM frames WHERE frame_id = NEW.frame_id)
        IS NOT (SELECT root_frame_id FROM artifacts WHERE artifact_id = NEW.artifact_id)
    OR (SELECT root_frame_id FROM cells WHERE cell_id = NEW.producing_cell_id)
        IS NOT (SELECT root_frame_id FROM artifacts WHERE artifact_id = NEW.artifact_id)
BEGIN SELECT RAISE(ABORT, 'E_FOREIGN: the artifact, the frame and the cell belong to different sessions'); END;
CREATE TRIGGER artifact_versions_never_change BEFORE UPDATE ON artifact_versions
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a version is never changed'); END;
CREATE TRIGGER artifact_versions_stay BEFORE DELETE ON artifact_versions
BEGIN SELECT RAISE(ABORT, 'E_INVALID: a version is never removed'); END;
