/// The properties of an upgrade request that identify the client.
package struct StreamUpgrade: Hashable, Sendable {
  package var apiKey: String?
  package var authType: String?
  /// The name of the SDK.
  package var client: String?
}

/// The user data of a login besides the token: the object `user_details`, or Chat's `json`, as JSON text.
package struct StreamUserDetails: Hashable, Sendable {
  package var text: String
}
