-- What the owner of an account needs to see and remove what an intruder added. An older release may run beside it: its
-- identities get their time from the default, and it neither reads nor writes the new codes.

-- When the identity became this account's: a merge, a move and their undoing set it anew.
ALTER TABLE linked_identity ADD COLUMN linked_at timestamptz NOT NULL DEFAULT now();
UPDATE linked_identity SET linked_at = created_at;
-- The device that linked it, as its user agent named itself.
ALTER TABLE linked_identity ADD COLUMN linked_device text CHECK (length(linked_device) <= 200);
-- Of a generic OpenID provider: the issuer that named the subject (OpenID Connect Core 1.0 §2).
ALTER TABLE linked_identity ADD COLUMN issuer text;

ALTER TABLE oob_code DROP CONSTRAINT oob_code_purpose_check;
ALTER TABLE oob_code ADD CONSTRAINT oob_code_purpose_check CHECK (purpose IN (
    'VERIFY_EMAIL', 'PASSWORD_RESET', 'EMAIL_SIGNIN', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL',
    'REMOVE_SIGN_IN_METHOD', 'UNDO_MERGE'));
-- Of REMOVE_SIGN_IN_METHOD: the method, and when it became the account's. A password has no subject.
ALTER TABLE oob_code ADD COLUMN provider text;
ALTER TABLE oob_code ADD COLUMN subject text;
ALTER TABLE oob_code ADD COLUMN added_at timestamptz;
ALTER TABLE oob_code ADD CONSTRAINT oob_code_method_check CHECK (
    (purpose = 'REMOVE_SIGN_IN_METHOD') = (provider IS NOT NULL AND added_at IS NOT NULL));
-- Of UNDO_MERGE: the account that went into account_id.
ALTER TABLE oob_code ADD COLUMN source_id text;
ALTER TABLE oob_code ADD CONSTRAINT oob_code_source_check CHECK ((purpose = 'UNDO_MERGE') = (source_id IS NOT NULL));

-- Places where an account had sessions: they may go on trying its password while it is attacked from elsewhere. An older
-- release beside it adds none.
CREATE TABLE account_place (
    project_id text NOT NULL,
    account_id text NOT NULL,
    -- Keyed: no address can be read or guessed from it.
    place_hash bytea NOT NULL CHECK (length(place_hash) = 16),
    -- Written once an hour at most, so that the index below costs little.
    last_seen timestamptz NOT NULL,
    PRIMARY KEY (project_id, account_id, place_hash),
    FOREIGN KEY (project_id, account_id) REFERENCES account ON DELETE CASCADE
);
CREATE INDEX account_place_last_seen ON account_place (last_seen);
