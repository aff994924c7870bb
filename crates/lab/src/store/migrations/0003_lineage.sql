-- Which version came from which. The edges never make a circle: each insert looks from its output downwards for its input.

CREATE TABLE lineage_edges (
    edge_id TEXT NOT NULL PRIMARY KEY
        CHECK (length(edge_id) = 14 AND edge_id GLOB 'e-*' AND substr(edge_id, 3) NOT GLOB '*[^0-9a-f]*'),
    input_version_id TEXT NOT NULL,
    input_root_frame_id TEXT NOT NULL,
    output_version_id TEXT NOT NULL,
    root_frame_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('derived', 'copied', 'restored', 'materialised', 'read')),
    basis TEXT NOT NULL CHECK (basis IN ('declared', 'observed', 'claimed')),
    producing_cell_id TEXT NOT NULL,
    frame_id TEXT NOT NULL,
    created_at INTEGER NOT NULL CHECK (created_at >= 946684800000),
    CHECK (input_version_id <> output_version_id),
    -- Only what was taken over on purpose comes from another session, and never from another project.
    CHECK (input_root_frame_id = root_frame_id OR kind = 'materialised'),
    UNIQUE (input_version_id, output_version_id),
    FOREIGN KEY (input_version_id, input_root_frame_id, project_id)
        REFERENCES artifact_versions (version_id, root_frame_id, project_id),
    FOREIGN KEY (output_version_id, root_frame_id, project_id)
        REFERENCES artifact_versions (version_id, root_frame_id, project_id),
    FOREIGN KEY (frame_id, root_frame_id, project_id) REFERENCES frames (frame_id, root_frame_id, project_id),
    FOREIGN KEY (producing_cell_id, root_frame_id, project_id) REFERENCES cells (cell_id, root_frame_id, project_id)
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
CREATE TRIGGER lineage_edges_never_change BEFORE UPDATE ON lineage_edges
BEGIN SELECT RAISE(ABORT, 'E_INVALID: an edge is never changed'); END;
CREATE TRIGGER lineage_edges_stay BEFORE DELETE ON lineage_edges
BEGIN SELECT RAISE(ABORT, 'E_INVALID: an edge is never removed'); END;
