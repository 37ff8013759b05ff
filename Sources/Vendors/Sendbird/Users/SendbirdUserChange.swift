internal import GatewayCore
internal import GatewayJSON

/// The changes of a user in a request's body. Missing properties stay as they are.
struct SendbirdUserChange: Sendable {
  private let nickname: String?
  private let profileURL: String?
  private let metadata: [Name: String]?
  private let discoveryKeys: [String]?
  private let languages: [String]?
  private let phoneNumber: String?
  private let lastSeenAt: WallTime?
  let isActive: Bool?

  init(_ body: SendbirdParameters) throws(SendbirdError) {
    nickname = try body.string("nickname", max: SendbirdLimits.nickname)
    profileURL = try body.string("profile_url", max: SendbirdLimits.url)
    metadata = try body.texts("metadata")
    discoveryKeys = try body.strings(
      "discovery_keys", count: SendbirdLimits.discoveryKeys, max: SendbirdLimits.discoveryKey)
    languages = try body.strings(
      "preferred_languages", count: SendbirdLimits.languages, max: SendbirdLimits.language)
    phoneNumber = try body.string("phone_number", max: SendbirdLimits.phoneNumber)
    lastSeenAt = try body.time("last_seen_at")
    isActive = try body.bool("is_active")
  }

  /// Whether it changes something that only servers may change.
  var isForServersOnly: Bool { isActive != nil || lastSeenAt != nil || phoneNumber != nil }

  func apply(to user: inout SendbirdUser) {
    if let nickname { user.nickname = nickname }
    if let profileURL { user.profileURL = profileURL }
    if let metadata { user.metadata = metadata }
    if let discoveryKeys { user.discoveryKeys = discoveryKeys }
    if let languages { user.preferredLanguages = languages }
    if let phoneNumber { user.phoneNumber = phoneNumber }
    if let lastSeenAt { user.lastSeenAt = lastSeenAt }
    if let isActive { user.isActive = isActive }
  }
}
