import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

/// A first connection or a reconnect in the form of one of the vendor's clients.
struct SendbirdClientShape: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let firstQuery: @Sendable (_ token: String) -> [String: String]
  var firstHeaders: @Sendable (_ token: String) -> [String: String] = { _ in [:] }
  var againQuery: @Sendable (_ key: String) -> [String: String] = { _ in [:] }
  var againHeaders: @Sendable (_ token: String, _ key: String) -> [String: String] = { _, _ in [:] }

  /// The clients in section 2 of the vendor's behaviour.
  static let all = [
    SendbirdClientShape(
      testDescription: "JavaScript 4",
      firstQuery: { _ in ["p": "JS", "user_id": "ann"] },
      firstHeaders: { ["sec-websocket-protocol": $0.isEmpty ? "%7B%7D" : "%7B%22token%22%3A%22\($0)%22%7D"] },
      againQuery: { _ in ["p": "JS"] },
      againHeaders: { ["sec-websocket-protocol": "%7B%22auth%22%3A%22\($1)%22%7D"] }),
    SendbirdClientShape(
      testDescription: "JavaScript 3",
      firstQuery: { ["p": "JS", "user_id": "ann", "access_token": $0.isEmpty ? "null" : $0] },
      againQuery: { ["p": "JS", "key": $0] }),
    SendbirdClientShape(
      testDescription: "Unity",
      firstQuery: { _ in ["p": "Unity", "user_id": "ann", "device_os_platform": "linux"] },
      firstHeaders: { $0.isEmpty ? [:] : ["sendbird-ws-token": $0.replacing(".", with: "%2E")] },
      againQuery: { _ in ["p": "Unity", "user_id": "ann"] },
      againHeaders: { ["sendbird-ws-token": $0, "sendbird-ws-auth": $1] }),
    SendbirdClientShape(
      testDescription: "Flutter",
      firstQuery: { _ in ["p": "Flutter", "user_id": "ann", "expiring_session": "0"] },
      firstHeaders: { $0.isEmpty ? [:] : ["sendbird-ws-token": $0] },
      againQuery: { _ in ["p": "Flutter", "expiring_session": "0"] },
      againHeaders: { ["sendbird-ws-auth": $1] }),
    SendbirdClientShape(
      testDescription: "iOS",
      firstQuery: { _ in ["p": "iOS", "user_id": "ann", "expiring_session": "0"] },
      firstHeaders: { ["origin": ""].merging($0.isEmpty ? [:] : ["sendbird-ws-token": $0]) { $1 } },
      againQuery: { _ in ["p": "iOS", "expiring_session": "0"] },
      againHeaders: { ["origin": "", "sendbird-ws-auth": $1] }),
  ]
}

@Suite(.onNodes)
struct SendbirdLoginTests {
  private let access = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"

  @Test(arguments: SendbirdClientShape.all)
  func `a client of either kind is admitted without a token, and returns by its key`(_ client: SendbirdClientShape)
    throws
  {
    for kind in ["none", "access", "session"] {
      let sendbird = try SimulatedSendbird()
      if kind == "access" { sendbird.setAccessToken(access) }
      let token = kind == "none" ? "" : kind == "access" ? access : sendbird.sessionToken()
      let first = sendbird.connect(client.firstQuery(token), headers: client.firstHeaders(token))
      #expect(first.last("user_id", of: "LOGI") == "ann", "\(kind): \(first.commands)")
      let key = first.sessionKey
      first.abort()
      sendbird.world.settle()
      let again = sendbird.connect(client.againQuery(key), headers: client.againHeaders(token, key))
      #expect(again.last("user_id", of: "LOGI") == "ann", "\(kind) again: \(again.commands)")
      #expect(again.sessionKey == key)
      #expect(again.isOpen && again.commands.count == 1)
      #expect(sendbird.connectionCount == 1)
    }
  }

  @Test
  func `a login's answer has every field in the type that the strictest client decodes, and no misleading field`()
    throws
  {
    let sendbird = try SimulatedSendbird { $0.pingInterval = .seconds(7) }
    sendbird.change("ann") { user in
      user.nickname = "Ann \"A\""
      user.metadata = ["font": "large"]
      user.preferredLanguages = ["en"]
    }
    let peer = sendbird.connect(["user_id": "ann"])
    #expect(peer.commands.count == 1)
    let wanted = [
      "user_id": "ann", "nickname": "Ann \"A\"", "profile_url": "", "metadata": #"{"font":"large"}"#,
      "preferred_languages": #"["en"]"#, "discovery_keys": "[]", "is_active": "true",
      "require_auth_for_profile_image": "false", "is_hide_me_from_friends": "false", "expires_at": "-1",
      "login_ts": "1800000000000", "ping_interval": "7", "pong_timeout": "5",
      "reconnect": #"{"interval":2,"max_interval":20,"mul":2,"retry_cnt":-1}"#,
      "max_unread_cnt_on_super_group": "100",
      "unread_cnt": #"{"all":0,"feed":0,"ts":1800000000000,"custom_types":{}}"#,
      "device_token_last_deleted_at": "0", "bc_duration": "0", "concurrent_call_limit": "1", "back_off_delay": "0.5",
      "request_dedup_interval_ms": "500", "file_upload_size_limit": "50", "multiple_file_send_max_size": "30",
      "premium_feature_list": "[]", "application_attributes": "[]", "emoji_hash": "postern-1", "use_reaction": "true",
      "unread_cnt_threading_policy": "0", "last_msg_threading_policy": "0", "disable_supergroup_mack": "false",
      "notifications":
        #"{"enabled":false,"feed_channels":{},"template_list_token":"0","settings_updated_at":0}"#,
      "config_sync_needed": "false", "services": #"["chat"]"#,
    ]
    for (name, value) in wanted { #expect(peer.last(name, of: "LOGI") == value, "\(name)") }
    for name in ["new_key", "error", "log_publish_config"] { #expect(peer.last(name, of: "LOGI") == nil, "\(name)") }
    #expect(peer.sessionKey.isEmpty == false && peer.last("ekey", of: "LOGI") != nil)
    #expect(sendbird.user("ann")?.hasEverLoggedIn == true)
  }

  /// The reasons for refusing a login, with their codes.
  static let refusals: [(String, Int)] = [
    ("deactivated", 400_300), ("deleted", 400_301), ("deleted, by key", 400_301), ("no such user", 400_302),
    ("wrong access token", 400_302), ("expired token", 400_302), ("token of another user", 400_302),
    ("forged token", 400_302), ("token required", 400_302), ("unreadable subprotocol", 400_302),
    ("unknown key", 400_303), ("another application", 400_304), ("user id too long", 400_305),
    ("expired key", 400_309), ("revoked token", 400_310),
    ("revoked, by key", 400_310), ("too many connections", 400_500), ("nobody", 400_105), ("anonymous", 400_108),
  ]

  @Test(arguments: refusals)
  func `a refused client gets the code of the cause after the upgrade, and is closed if it stays`(
    cause: String, code: Int
  ) throws {
    let sendbird = try SimulatedSendbird { settings in
      settings.applicationID = "APP"
      settings.connectionsPerUserMax = 2
    }
    let peer = try refusedPeer(cause, sendbird)
    #expect(peer.refusal == nil && peer.commands.count == 1)
    #expect(peer.last("code", of: "LOGI") == String(code), "\(cause): \(peer.commands)")
    #expect(peer.last("error", of: "LOGI") == "true" && peer.last("message", of: "LOGI")?.isEmpty == false)
    #expect(peer.isOpen)
    sendbird.say(#"PING{"id":1}"#, peer)
    sendbird.world.advance(by: .seconds(1))
    #expect(peer.commands.count == 1 && peer.ending?.code == 4500)
  }

  private func refusedPeer(_ cause: String, _ sendbird: SimulatedSendbird) throws -> SimulatedPeer {
    let token = sendbird.sessionToken(life: .seconds(100))
    let session = ["sendbird-ws-token": token]
    let key = sendbird.connect(["user_id": "ann", "expiring_session": "1"], headers: session).sessionKey
    let byToken = { (token: String) in
      sendbird.connect(["user_id": "ann"], headers: ["sendbird-ws-token": token])
    }
    switch cause {
    case "deactivated":
      sendbird.change("ann") { $0.isActive = false }
      return byToken(token)
    case "deleted", "deleted, by key":
      let (directory, now) = (sendbird.directory, sendbird.world.wallTime)
      _ = sendbird.world.ask { try? await directory.deleteUser(UserID("ann"), at: now) }
      return cause == "deleted" ? byToken(token) : sendbird.connect(["key": key])
    case "no such user": return sendbird.connect(["user_id": "bob", "access_token": "0123"])
    case "wrong access token": return byToken(access)
    case "expired token":
      sendbird.world.advance(by: .seconds(100))
      return byToken(token)
    case "token of another user": return byToken(sendbird.sessionToken("bob"))
    case "forged token": return byToken(token.dropLast(2) + "AA")
    case "token required": return sendbird.connect(["user_id": "ann"])
    case "unreadable subprotocol":
      return sendbird.connect(["user_id": "ann"], headers: ["sec-websocket-protocol": "%7B%22token%22"])
    case "unknown key": return sendbird.connect(["key": String(repeating: "0", count: 48)])
    case "another application": return sendbird.connect(["user_id": "bob", "ai": "OTHER"])
    case "user id too long": return sendbird.connect(["user_id": String(repeating: "é", count: 81)])
    case "expired key":
      sendbird.world.advance(by: .seconds(100))
      return sendbird.connect(["key": key])
    case "revoked token", "revoked, by key":
      sendbird.world.advance(by: .seconds(1))
      sendbird.revokeSessionTokens(of: "ann")
      return cause == "revoked token" ? byToken(token) : sendbird.connect(["key": key])
    case "too many connections":
      _ = byToken(token)
      return byToken(token)
    case "anonymous": return sendbird.connect(["user_id": "!anon"])
    default: return sendbird.connect([:])
    }
  }
}
