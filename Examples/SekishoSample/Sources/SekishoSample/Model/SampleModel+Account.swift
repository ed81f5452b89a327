import SekishoAuth

extension SampleModel {
    /// Changes the name.
    public func rename(_ name: String) async {
        await perform {
            let change = try self.user.createProfileChangeRequest()
            change.displayName = name.isEmpty ? nil : name
            try await change.commitChanges()
        }
    }

    /// Renews the tokens and loads the profile, for example after the screen was pulled down.
    public func refresh() async {
        await perform {
            let user = try self.user
            _ = try await user.getIDToken(forcingRefresh: true)
            try await user.reload()
        }
    }

    /// Sends the email with the link that verifies the address again.
    public func sendEmailVerification() async {
        await perform {
            try await self.user.sendEmailVerification()
            self.state.notice = "We have sent a link to your address."
        }
    }

    /// Asks the owner of a new address to verify it. It then becomes the account's.
    public func changeEmail(to email: String) async {
        await perform {
            try await self.user.sendEmailVerification(beforeUpdatingEmail: email)
            self.state.notice = "We have sent a link to \(email)."
        }
    }

    /// Sets a new password. The account's other sessions end.
    public func changePassword(to password: String) async {
        await perform {
            try await self.user.updatePassword(to: password)
            self.state.notice = "The password is changed."
        }
    }

    /// Removes a sign-in method.
    public func unlink(_ providerID: String) async {
        await perform { _ = try await self.user.unlink(fromProvider: providerID) }
    }

    /// Loads the user's sessions.
    public func loadDevices() async { await perform { self.state.devices = try await self.user.listSessions() } }

    /// Ends a session. If it is that of this device, the user is signed out.
    public func endSession(_ id: String) async {
        await perform {
            let user = try self.user
            try await user.revokeSession(id)
            if self.auth.currentUser != nil { self.state.devices = try await user.listSessions() }
        }
    }

    /// Ends every session, also that of this device.
    public func endAllSessions() async { await perform { try await self.user.revokeAllSessions() } }

    /// Deletes the account.
    public func deleteAccount() async {
        await perform {
            switch try await self.user.delete() {
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
