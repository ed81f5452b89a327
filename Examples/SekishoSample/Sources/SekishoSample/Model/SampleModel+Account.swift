import SekishoAuth

extension SampleModel {
    /// Changes the display name. An empty name removes it.
    public func rename(_ name: String) async {
        await perform {
            let change = try self.user.createProfileChangeRequest()
            change.displayName = name.isEmpty ? nil : name
            try await change.commitChanges()
        }
    }

    /// Refreshes the tokens and reloads the profile, for pull to refresh.
    public func refresh() async {
        await perform {
            let user = try self.user
            _ = try await user.getIDToken(forcingRefresh: true)
            try await user.reload()
        }
    }

    /// Sends another email with the link that verifies the account's address.
    public func sendEmailVerification() async {
        await perform {
            try await self.user.sendEmailVerification()
            self.state.notice = "We have sent a link to your address."
        }
    }

    /// Sends an email with a link to a new address. The link verifies the new address, which then replaces the
    /// account's address.
    public func changeEmail(to email: String) async {
        await perform {
            try await self.user.sendEmailVerification(beforeUpdatingEmail: email)
            self.state.notice = "We have sent a link to \(email)."
        }
    }

    /// Sets a new password. All other sessions of the account end.
    public func changePassword(to password: String) async {
        await perform {
            try await self.user.updatePassword(to: password)
            self.state.notice = "The password is changed."
        }
    }

    /// Unlinks a provider.
    public func unlink(_ providerID: String) async {
        await perform { _ = try await self.user.unlink(fromProvider: providerID) }
    }

    /// Loads the user's sessions.
    public func loadDevices() async { await perform { self.state.devices = try await self.user.listSessions() } }

    /// Revokes a session. If it is the session of this device, the user is signed out.
    public func endSession(_ id: String) async {
        await perform {
            let user = try self.user
            try await user.revokeSession(id)
            if self.auth.currentUser != nil { self.state.devices = try await user.listSessions() }
        }
    }

    /// Revokes all sessions and signs the user out.
    public func endAllSessions() async { await perform { try await self.user.revokeAllSessions() } }

    /// Deletes the account.
    public func deleteAccount() async {
        await perform {
            let appleRevocation = try await self.user.delete()
            switch appleRevocation {
            case .queued: self.state.notice = "The account is deleted. The app is disconnected from your Apple Account."
            case .notPossible:
                self.state.notice = """
                    The account is deleted. To disconnect the app from your Apple Account, open Settings > [your name] > \
                    Sign in with Apple.
                    """
            case .notNeeded, nil: self.state.notice = "The account is deleted."
            }
        }
    }
}
