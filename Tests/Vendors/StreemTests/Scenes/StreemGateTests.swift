import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport
import Testing

@testable import GatewayStreem

/// The rules of the gate on Streem's wire.
@Suite(.onNodes)
struct StreemGateTests {
  private let streem: SimulatedStreem

  init() throws {
    streem = try SimulatedStreem()
  }

  @Test
  func `an anonymous user gets no socket, an error and a close, and over HTTP 403`() {
    let token = streem.token("!anon")
    let peer = streem.identify(token)
    #expect(streem.types(peer) == ["identifyFailed"] && streem.last("reason", peer) == "anonymous_refused")
    #expect(peer.ending?.code == 4501)
    let answer = streem.fetch("POST", "/streem/v1/identify", body: #"{"token":"\#(token.token)"}"#)
    #expect(answer.status == 403 && answer.text.contains("anonymous_refused"))
  }

  @Test(arguments: [
    "startRemoteStream", "joinRemoteStream", "leaveRemoteStream", "createInvitation", "getRecentlyIdentifiedUsers",
    "tokenFailed", "logout",
  ])
  func `missing authentication is 800101 for every operation, over the socket`(operation: String) {
    let peer = streem.open()
    streem.say(peer, #"{"type":"\#(operation)","id":"7"}"#)
    #expect(
      peer.texts == [
        #"{"type":"error","id":"7","reason":"connection_required","message":"connect and authenticate first","#
          + #""retryable":true,"number":800101}"#
      ])
    streem.world.advance(by: .seconds(10))
    #expect(peer.ending?.code == 4001 && peer.ending?.at == .seconds(10))
  }

  @Test(arguments: [
    ("POST", "/streem/v1/invitations"), ("POST", "/streem/v1/logout"),
    ("GET", "/streem/v1/recently-identified-users"),
  ])
  func `missing authentication is 800101 over HTTP too, even with a good token but no connection`(
    method: String, path: String
  ) {
    for token in [nil, streem.token()] {
      let answer = streem.fetch(method, path, token: token, body: method == "POST" ? #"{"toUserName":"Carl"}"# : "")
      #expect(answer.status == 409 && answer.text.contains(#""number":800101"#))
    }
  }

  @Test
  func `expiry during a session asks for a token, once, and a good one keeps the connection`() {
    let peer = streem.identify(streem.token(sessionLife: 100))
    let session = streem.last("sessionId", peer)
    streem.world.advance(by: .seconds(100) - .nanoseconds(1))
    #expect(streem.types(peer) == ["identified"])
    streem.world.advance(by: .seconds(59))
    #expect(peer.texts.last == #"{"type":"tokenRequired","reason":"expired","timeoutMs":60000}"#)
    streem.say(peer, #"{"type":"token","id":"r","token":"\#(streem.token(sessionLife: 1_000).token)"}"#)
    #expect(streem.types(peer) == ["identified", "tokenRequired", "identified"])
    #expect(streem.last("sessionId", peer) == session && peer.texts.last?.contains(#""refreshed":true"#) == true)
    streem.world.advance(by: .seconds(900))
    #expect(peer.isOpen && streem.types(peer).count == 3)
  }

  @Test
  func `the session ends at session_exp, however soon the token's own exp comes, and no skew is added`() {
    let peer = streem.identify(streem.token(sessionLife: 1_000, ["exp": "\(Int64(streem.world.wallTime.seconds) + 1)"]))
    streem.world.advance(by: .seconds(999))
    #expect(streem.types(peer) == ["identified"])
    streem.world.advance(by: .seconds(1))
    #expect(streem.types(peer).last == "tokenRequired")
  }

  @Test
  func `a client that misses the timeout is disconnected, and told that the session has expired`() {
    let peer = streem.identify(streem.token(sessionLife: 100))
    streem.world.advance(by: .seconds(160))
    #expect(peer.ending?.at == .seconds(160) && peer.ending?.code == 4000)
    #expect(peer.ending?.name == "session_expired")
  }

  @Test
  func `a request ahead of the end says that the end has not come yet`() throws {
    let streem = try SimulatedStreem(try SessionPolicy(refreshLead: .seconds(30)))
    let peer = streem.identify(streem.token(sessionLife: 100))
    streem.world.advance(by: .seconds(70))
    #expect(streem.last("reason", peer) == "session_expiring")
    // No answer, but no immediate close either: the session is still valid.
    streem.say(peer, #"{"type":"tokenFailed"}"#)
    #expect(peer.isOpen)
    streem.world.advance(by: .seconds(60))
    #expect(peer.ending?.name == "session_expired")
  }

  @Test
  func `a revoked user is asked for another token at once`() {
    let peer = streem.identify(streem.token("ann"))
    let other = streem.identify(streem.token("bob"))
    let later = streem.world.wallTime + .seconds(1)
    #expect(streem.order { try? await $0.revoke(.user(UserID("ann"), issuedBefore: later)) } == 1)
    #expect(streem.last("reason", peer) == "revoked" && streem.types(other) == ["identified"])
    streem.say(peer, #"{"type":"token","token":"\#(streem.token("ann").token)"}"#)
    #expect(streem.last("reason", peer) == "token_revoked" && streem.types(peer).last == "identifyFailed")
    streem.world.advance(by: .seconds(2))
    streem.say(peer, #"{"type":"token","token":"\#(streem.token("ann").token)"}"#)
    #expect(streem.types(peer).last == "identified")
  }

  @Test
  func `a revoked API key ends its sessions and no others, and accepts no further login`() throws {
    let mine = streem.identify(streem.token("ann"))
    let made = streem.fetch("POST", "/streem/api-keys", from: DialTarget.control)
    let id = try #require(SimulatedStreem.member("id", made.text))
    let secret = try #require(SimulatedStreem.member("secret", made.text))
    let issuer = try StreemTokenIssuer(
      apiKey: Name(id), jwk: try StreemSecret.jwk(secret), settings: StreemSettings())
    let theirs = streem.identify(issuer.mint("bob", issuedAt: streem.world.wallTime))
    #expect(streem.types(theirs) == ["identified"])
    let answer = streem.fetch("POST", "/streem/api-keys/\(id)/revoke", from: DialTarget.control)
    #expect(answer.text == #"{"sessions":1}"#)
    #expect(streem.last("reason", theirs) == "revoked" && streem.types(mine) == ["identified"])
    let late = streem.identify(issuer.mint("eve", issuedAt: streem.world.wallTime))
    #expect(streem.last("reason", late) == "unknown_api_key" && late.ending?.code == 4500)
    // A token with a valid key keeps the connection.
    streem.say(theirs, #"{"type":"token","token":"\#(streem.token("bob").token)"}"#)
    #expect(streem.types(theirs).last == "identified")
    #expect(streem.fetch("POST", "/streem/api-keys/nobody/revoke", from: DialTarget.control).status == 404)
  }
}
