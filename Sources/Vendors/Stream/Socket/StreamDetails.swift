/// The properties of an upgrade request that identify the client.
struct StreamUpgrade: Hashable, Sendable {
  var apiKey: String?
  var authType: String?
  /// The name of the SDK.
  var client: String?
}

/// The user data of a login besides the token: the object `user_details`, or Chat's `json`, as JSON text.
struct StreamUserDetails: Hashable, Sendable {
  var text: String
}
