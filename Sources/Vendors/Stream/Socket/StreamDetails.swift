/// The request that opens a socket, as far as it says who opens it: by its API key, for instance.
package struct StreamUpgrade: Hashable, Sendable {
  package var apiKey: String?
  package var authType: String?
  /// The name of the SDK.
  package var client: String?
}

/// The words of a login beside the token: the object `user_details`, or Chat's `json`, as JSON text.
package struct StreamUserDetails: Hashable, Sendable {
  package var text: String
}
