internal import GatewayCore
internal import GatewayJSON

/// The words of a client that wants to be logged in: a session key, for instance, a token, or a name alone.
struct SendbirdLogin: Sendable {
  var user: UserID?
  var token: SendbirdPresentedToken
  var key: String?
  /// The application it names, nil if none.
  var applicationID: String?
  /// Whether it can refresh its session.
  var isExpiring: Bool
  /// Where it comes from.
  var address: String
  /// The socket it comes from; nil over HTTP.
  var connection: ConnectionID?
}

/// The answer to a login: the payload of `LOGI`, and the body of the same over HTTP; and to a refresh in the socket, which
/// has `new_key` in place of `key`. The types are those that the strictest clients decode; a login's answer has no
/// `new_key`, which one takes for a refresh, and none has `error`, which another takes for a
/// failure whatever its value, and no `log_publish_config`, which would have them post statistics.
struct SendbirdWelcome {
  let user: SendbirdUser
  let key: String
  let isRefresh: Bool
  let fileKey: String
  /// When the session ends; nil for never.
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
    // In seconds, unlike its neighbours.
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
    // What clients on iOS assume where these two are missing; the second is in seconds.
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
