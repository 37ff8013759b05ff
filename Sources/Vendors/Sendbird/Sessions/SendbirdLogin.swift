internal import GatewayCore
internal import GatewayJSON

/// The data of a client's login: a session key, a token, or a name alone.
struct SendbirdLogin: Sendable {
  var user: UserID?
  var token: SendbirdPresentedToken
  var key: String?
  /// The application that it names; nil if none.
  var applicationID: String?
  /// Whether the client can refresh its session.
  var isExpiring: Bool
  /// The client's address.
  var address: String
  /// The client's socket; nil over HTTP.
  var connection: ConnectionID?
}

/// The answer to a login or a refresh.
///
/// For a login it is the payload of `LOGI`, and the body over HTTP; for a refresh on the socket it has `new_key`
/// instead of `key`.
///
/// The strictest clients decode exactly these types. A login's answer has no `new_key`, which one client mistakes for a
/// refresh. No answer has `error`, which another considers a failure whatever its value, nor `log_publish_config`,
/// which would make clients post statistics.
struct SendbirdWelcome {
  let user: SendbirdUser
  let key: String
  let isRefresh: Bool
  let fileKey: String
  /// The end of the session; nil for never.
  let end: WallTime?
  let unread: SendbirdUnread
  let now: WallTime
  let settings: SendbirdSettings

  var text: String {
    var json = JSONWriter(capacity: 1400)
    json.beginObject()
    writeUser(to: &json)
    writeSession(to: &json)
    writeFeatures(to: &json)
    json.endObject()
    return json.text
  }

  private func writeUser(to json: inout JSONWriter) {
    json.member("user_id", user.id.rawValue)
    json.member("nickname", user.nickname)
    json.member("profile_url", user.profileURL)
    json.member("metadata", texts: user.metadata)
    json.member("preferred_languages", strings: user.preferredLanguages)
    json.member("discovery_keys", strings: user.discoveryKeys)
    json.member("is_active", user.isActive)
    json.member("require_auth_for_profile_image", user.requiresAuthForProfileImage)
    json.member("is_hide_me_from_friends", false)
  }

  private func writeSession(to json: inout JSONWriter) {
    let milliseconds = now.nanoseconds / 1_000_000
    if isRefresh { json.member("new_key", key) } else { json.member("key", key) }
    json.member("ekey", fileKey)
    // In seconds, unlike the other times.
    json.member("expires_at", end.map { $0.nanoseconds / 1_000_000_000 } ?? -1)
    json.member("login_ts", milliseconds)
    json.member("ping_interval", settings.pingInterval.components.seconds)
    json.member("pong_timeout", settings.pongTimeout.components.seconds)
    json.member("reconnect") { json in
      json.member("interval", settings.reconnectInterval.components.seconds)
      json.member("max_interval", settings.reconnectIntervalMax.components.seconds)
      json.member("mul", Int64(settings.reconnectFactor))
      json.member("retry_cnt", Int64(settings.reconnectTries))
    }
    json.member("unread_cnt") { unread.write(to: &$0, at: now) }
  }

  private func writeFeatures(to json: inout JSONWriter) {
    json.member("max_unread_cnt_on_super_group", 100)
    json.member("device_token_last_deleted_at", 0)
    json.member("bc_duration", 0)
    // The defaults of clients on iOS; the second is in seconds.
    json.member("concurrent_call_limit", 1)
    json.name("back_off_delay")
    json.number(0.5)
    json.member("request_dedup_interval_ms", 500)
    json.member("file_upload_size_limit", 50)
    json.member("multiple_file_send_max_size", Int64(SendbirdMessage.filesMax))
    json.member("premium_feature_list", strings: [])
    json.member("application_attributes", strings: [])
    json.member("emoji_hash", SendbirdWire.emojiHash)
    json.member("use_reaction", true)
    json.member("unread_cnt_threading_policy", 0)
    json.member("last_msg_threading_policy", 0)
    json.member("disable_supergroup_mack", false)
    json.member("notifications") { json in
      json.member("enabled", false)
      json.member("feed_channels") { _ in }
      json.member("template_list_token", "0")
      json.member("settings_updated_at", 0)
    }
    json.member("config_sync_needed", false)
    json.member("services", strings: ["chat"])
  }
}
