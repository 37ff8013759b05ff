/// The three kinds of users, in whose words the rules of the gate are told: an anonymous one gets no socket, for
/// instance.
package enum UserKind: String, Hashable, Codable, Sendable, BitwiseCopyable, CaseIterable {
  /// Known to the application; may do everything.
  case regular
  /// Made on the spot by a guest token; may connect and join calls.
  case guest
  /// Nobody in particular: gets no socket, and over HTTP only the calls its call token lists.
  case anonymous
}
