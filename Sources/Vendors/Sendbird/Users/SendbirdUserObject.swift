internal import GatewayCore
internal import GatewayJSON

/// A user in the answers of the Platform API.
struct SendbirdUserObject {
  let user: SendbirdUser
  let isOnline: Bool
  /// The session tokens that this request created, with their expiry.
  var sessionTokens: [(token: Credentials, end: WallTime)] = []
  /// Whether the access token is shown: to servers only.
  let showsToken: Bool

  func write(to json: inout JSONWriter) {
    json.members(of: user)
    json.member("phone_number", user.phoneNumber)
    if showsToken {
      json.member("access_token", user.accessToken?.token ?? "")
      json.name("session_tokens")
      json.beginArray()
      for (token, end) in sessionTokens {
        json.beginObject()
        json.member("session_token", token.token)
        json.member("expires_at", end.milliseconds)
        json.endObject()
      }
      json.endArray()
      json.member("has_ever_logged_in", user.hasEverLoggedIn)
      json.member("is_created", true)
    }
    json.member("is_active", user.isActive)
    json.member("is_online", isOnline)
    json.member("last_seen_at", lastSeenAt)
    json.member("created_at", user.createdAt.nanoseconds / 1_000_000_000)
    json.member("discovery_keys", strings: user.discoveryKeys)
    json.member("preferred_languages", strings: user.preferredLanguages)
    json.member("is_hide_me_from_friends", false)
    json.member("is_shadow_blocked", false)
  }

  /// 0 while the user is connected, -1 for one who never was.
  private var lastSeenAt: Int64 {
    isOnline ? 0 : user.lastSeenAt?.milliseconds ?? -1
  }
}

extension JSONWriter {
  /// Writes the members that every client reads of a user.
  mutating func members(of user: SendbirdUser) {
    member("user_id", user.id.rawValue)
    member("nickname", user.nickname)
    member("profile_url", user.profileURL)
    member("require_auth_for_profile_image", user.requiresAuthForProfileImage)
    member("metadata", texts: user.metadata)
  }

  /// Writes an object of strings, in the order of their names.
  mutating func member(_ name: StaticString, texts: [Name: String]) {
    member(name) { json in
      for (key, value) in texts.sorted(by: { $0.key < $1.key }) {
        json.name(key.text)
        json.string(value)
      }
    }
  }
}
