-- Codes sent to mailboxes, the mail itself, what is counted to be limited, and what a session's device calls itself. An
-- older release beside it neither reads nor writes any of it.

CREATE TABLE oob_code (
    -- SHA-256 of the code. The code alone tells which project it belongs to.
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    project_id text NOT NULL,
    purpose text NOT NULL
        CHECK (purpose IN ('VERIFY_EMAIL', 'PASSWORD_RESET', 'EMAIL_SIGNIN', 'VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL')),
    -- Of a sign-in link the account that held the address when it was sent, if any did.
    account_id text,
    -- The code is void once the account has moved on; NULL where it outlives that.
    generation bigint,
    email text NOT NULL CHECK (email = lower(email) AND length(email) <= 254),
    new_email text CHECK (new_email = lower(new_email) AND length(new_email) <= 254),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (project_id, account_id) REFERENCES account ON DELETE CASCADE,
    CHECK (account_id IS NOT NULL OR purpose = 'EMAIL_SIGNIN'),
    -- Who left an address for none has one to go back to and none to leave.
    CHECK (new_email IS NOT NULL OR purpose <> 'VERIFY_AND_CHANGE_EMAIL'),
    CHECK (new_email IS NULL OR purpose IN ('VERIFY_AND_CHANGE_EMAIL', 'RECOVER_EMAIL'))
);

CREATE INDEX oob_code_account ON oob_code (account_id, project_id);
CREATE INDEX oob_code_email ON oob_code (email, project_id);
CREATE INDEX oob_code_expires_at ON oob_code (expires_at);

-- Mail that waits to be sent; a row is gone once it was.
CREATE TABLE mail (
    id uuid PRIMARY KEY,
    project_id text NOT NULL,
    kind text NOT NULL,
    -- Whom it is about. No foreign key: some of it is about accounts that are no more.
    account_id text,
    recipient text NOT NULL,
    -- As asked for; NULL stands for the project's own.
    language text,
    -- Sealed under the master key, bound to this row.
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- To be tried then. Whoever tries it moves this on first.
    due_at timestamptz NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    -- Of no use from then on.
    expires_at timestamptz NOT NULL,
    -- What went wrong the last time, without any address.
    failure text,
    -- Nobody tries any more.
    failed_at timestamptz
);

CREATE INDEX mail_due_at ON mail (due_at) WHERE failed_at IS NULL;
CREATE INDEX mail_account ON mail (account_id, project_id);

-- How often something has happened in a window of time, as told by all replicas.
CREATE TABLE rate_count (
    -- A keyed hash of what is counted: no address can be read or guessed from it.
    key bytea NOT NULL CHECK (length(key) = 32),
    window_start timestamptz NOT NULL,
    count bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (key, window_start)
);

CREATE INDEX rate_count_expires_at ON rate_count (expires_at);

ALTER TABLE session ADD COLUMN device text CHECK (length(device) <= 200);

ALTER TABLE account ADD COLUMN email_link_sign_in boolean NOT NULL DEFAULT false;

-- See MailSettings.
ALTER TABLE project ADD COLUMN mail jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(mail) = 'object');
