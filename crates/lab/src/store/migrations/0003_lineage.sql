-- Which version came from which. The edges never make a circle: each insert looks from its output downwards for its input.

CREATE TABLE lineage_edges (
    edge_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(edge_id) = 14 AND edge_id GLOB 'e-*' AND substr(edge_id, 3) NOT GLOB '*[^0-9a-f]*'),
    input_version_id TEXT NOT NULL REFERENCES artifact_versions (version_id),
    output_version_id TEXT NOT NULL REFERENCES artifact_versions (version_id),
    kind TEXT NOT NULL CHECK (kind IN ('derived', 'copied', 'restored', 'materialised', 'read')),
    basis TEXT NOT NULL CHECK (basis IN ('declared', 'observed', 'claimed')),
    producing_cell_id TEXT NOT NULL REFERENCES cells (cell_id),
    frame_id TEXT NOT NULL REFERENCES frames (frame_id),
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    CHECK (input_version_id <> output_version_id),
    UNIQUE (input_version_id, output_version_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER lineage_edges_are_never_replaced BEFORE INSERT ON lineage_edges
WHEN EXISTS (
    SELECT 1 FROM lineage_edges
    WHERE edge_id = NEW.edge_id
        OR (input_version_id = NEW.input_version_id AND output_version_id = NEW.output_version_id)
)
BEGIN SELECT RAISE(ABORT, 'E_EXISTS: there is such an edge already'); END;
CREATE TRIGGER lineage_edges_make_no_circle BEFORE INSERT ON lineage_edges
WHEN NEW.input_version_id IN (
    WITH RECURSIVE below (version_id) AS (
        VALUES (NEW.output_version_id)
        UNION
        SELECT edge.output_version_id FROM below JOIN lineage_edges AS edge ON edge.input_version_id = below.version_id
    )
    SELECT version_id FROM below
)
BEGIN SELECT RAISE(ABORT, 'E_CYCLE: the line of descent would lead back to itself'); END;
-- Only what was taken over on purpose comes from another session, and nothing from another project.
CREATE TRIGGER lineage_edges_stay_in_their_project BEFORE INSERT ON lineage_edges
WHEN (
    SELECT input.project_id IS NOT output.project_id
        OR (input.root_frame_id IS NOT output.root_frame_id AND NEW.kind <> 'materialised')
        OR output.root_frame_id IS NOT (SELECT root_frame_id FROM frames WHERE frame_id = NEW.frame_id)
        OR output.root_frame_id IS NOT (SELECT root_frame_id FROM cells WHERE cell_id = NEW.producing_cell_id)
    FROM artifact_versions AS made
    JOIN artifacts AS output ON output.artifact_id = made.artifact_id
    LEFT JOIN artifact_versions AS used ON used.version_id = NEW.input_version_id
    LEFT JOIN artifacts AS input ON input.artifact_id = used.artifact_id
    WHERE made.version_id = NEW.output_version_id
) IS NOT 0
BEGIN SELECT RAISE(ABORT, 'E_FOREIGN: the versions, the frame and the cell belong to different sessions'); END;
CREATE TRIGGER lineage_edges_never_change BEFORE UPDATE ON lineage_edges
BEGIN SELECT RAISE(ABORT, 'E_INVALID: an edge is never changed'); END;
CREATE TRIGGER lineage_edges_stay BEFORE DELETE ON lineage_edges
BEGIN SELECT RAISE(ABORT, 'E_INVALID: an edge is never removed'); END;
