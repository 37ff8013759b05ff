import GatewayCore
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewaySendbird

@Suite(.onNodes)
struct SendbirdRestartTests {
  private static let access = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"

  /// Returns the key that `ann` gets from a gateway that has ended.
  private func key(_ token: String, isExpiring: Bool = true) throws -> (key: String, token: String) {
    let sendbird = try SimulatedSendbird()
    if token == "access" { sendbird.setAccessToken(Self.access) }
    let token = token == "session" ? sendbird.sessionToken() : token == "access" ? Self.access : ""
    let query = ["user_id": "ann"].merging(isExpiring ? ["expiring_session": "1"] : [:]) { $1 }
    let peer = sendbird.connect(query, headers: token.isEmpty ? [:] : ["sendbird-ws-token": token])
    return (peer.sessionKey, token)
  }

  private func get(_ sendbird: SimulatedSendbird, _ key: String) -> HTTPResponse {
    sendbird.fetch("GET", "/v3/users/ann/my_group_channels", ["session-key": key])
  }

  @Test(arguments: ["none", "access", "session"])
  func `a session key is valid after a restart, over HTTP and for the next socket, and expires as before`(token: String)
    throws
  {
    let (key, _) = try key(token)
    // The same seed gives the same numbers to other sessions.
    for seed in [1, 2] as [UInt64] {
      let sendbird = try SimulatedSendbird(seed: seed)
      #expect(sendbird.connect(["user_id": "bob"]).sessionKey.isEmpty == false)
      #expect(get(sendbird, key).status == 200)
      let peer = sendbird.connect(["key": key])
      #expect(peer.last("user_id", of: "LOGI") == "ann" && peer.last("expires_at", of: "LOGI") == "1800000600")
      sendbird.world.advance(by: .seconds(30))
      sendbird.say(#"LOGI{"token":"","expiring_session":1,"req_id":"r"}"#, peer)
      #expect(peer.last("code", of: "EROR") == (token == "none" ? nil : "400302"))
      if token != "none" { #expect(sendbird.connect(["user_id": "ann"]).last("code", of: "LOGI") == "400302") }
      sendbird.world.advance(by: .seconds(570))
      #expect(sendbird.connect(["key": peer.sessionKey]).last("code", of: "LOGI") == (token == "none" ? nil : "400309"))
    }
  }

  @Test
  func `an ended session key is refused as unknown if its client cannot refresh, and as expired if it can`() throws {
    let plain = try SimulatedSendbird { $0.plainSessionLife = .seconds(60) }
    let first = plain.connect(["user_id": "ann"]).sessionKey
    plain.world.advance(by: .seconds(60))
    #expect(plain.connect(["key": first]).last("code", of: "LOGI") == "400303")
    #expect(get(plain, first).member("code") == "400303")
    let (key, _) = try key("none")
    let sendbird = try SimulatedSendbird()
    sendbird.world.advance(by: .seconds(600))
    #expect(sendbird.connect(["key": key]).last("code", of: "LOGI") == "400309")
    #expect(get(sendbird, key).member("code") == "400309")
  }

  @Test
  func `a session key of another application, or changed by a letter, is refused`() throws {
    let (key, _) = try key("session")
    let other = try SimulatedSendbird {
      $0 = SendbirdSettings(apiToken: Credentials(token: String(repeating: "x", count: 40)))
    }
    #expect(other.connect(["key": key]).last("code", of: "LOGI") == "400303")
    let sendbird = try SimulatedSendbird()
    for index in stride(from: 0, to: key.count, by: 7) {
      var letters = Array(key)
      letters[index] = letters[index] == "A" ? "B" : "A"
      #expect(sendbird.connect(["key": String(letters)]).last("code", of: "LOGI") == "400303", "\(index)")
    }
    #expect(sendbird.connect(["key": String(key.dropLast(4))]).last("code", of: "LOGI") == "400303")
    #expect(sendbird.connect(["key": String(repeating: "A", count: 4_000)]).last("code", of: "LOGI") == "400303")
    #expect(sendbird.user("ann") == nil)
  }
}
