/// What the request that opens a socket says of who opens it.
package struct StreamUpgrade: Hashable, Sendable {
  package var apiKey: String?
  package var authType: String?
  /// The name of the SDK.
  package var client: String?
}

/// What a login says beside the token: the object `user_details`, or Chat's `json`, as JSON text.
package struct StreamUserDetails: Hashable, Sendable {
  package var text: String
}
