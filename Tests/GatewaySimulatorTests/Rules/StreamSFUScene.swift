import GatewayCore
import GatewayRuntime
import GatewaySimulator
import GatewayStream
import TestSupport

/// Participants of calls at the SFU's stand-in: their tokens are those of joins over REST.
struct StreamSFUScene: GateScene {
  private let stream: SimulatedStream

  init(_ session: SessionPolicy) throws {
    stream = try SimulatedStream(session: session) { settings in
      settings.calls.sfu?.tokenLife = Self.life
      // Nobody need give signs of life for two days.
      settings.calls.sfu?.silenceMax = Self.life * 2
    }
  }

  var world: SimulatedWorld { stream.world }
  var gateway: Gateway { stream.gateway }

  func anonymous() -> SimulatedPeer {
    _ = stream.join("ann", "default/lobby")
    let expiry = world.wallTime.nanoseconds / 1_000_000_000 + 600
    let token = stream.token(claims: #"{"user_id":"!anon","exp":\#(expiry),"call_cids":["default:lobby"]}"#)
    return enter("!anon", token: token, authType: "anonymous")
  }

  func guest() -> SimulatedPeer? {
    stream.guest("zoe").map { enter($0.user, token: $0.token) }
  }

  func joins(_ guest: SimulatedPeer) -> Bool {
    stream.participants("default/lobby").count == 1 && isLoggedIn(guest)
  }

  func operationWithoutConnection() -> String {
    let peer = stream.openSFU()
    say(#"{"leaveCallRequest":{}}"#, peer)
    return peer.texts.last ?? ""
  }

  func connect(_ user: String) -> SimulatedPeer { enter(user, token: stream.token(user)) }
  func isLoggedIn(_ peer: SimulatedPeer) -> Bool { peer.heard.first == "joinResponse" }
  func asks(_ peer: SimulatedPeer) -> Int { peer.count("ERROR_CODE_UNAUTHENTICATED") }

  /// The SDKs join again.
  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer { connect(user) }

  private func enter(_ user: String, token: String, authType: String = "jwt") -> SimulatedPeer {
    let headers = [HTTPField("authorization", token), HTTPField("stream-auth-type", authType)]
    let answer = stream.join(user, "default/lobby", headers: headers)
    return stream.enter(
      user, "default/lobby", session: "\(user)-\(world.now.nanoseconds)",
      credentials: answer.flatMap(SimulatedStream.credentials) ?? "")
  }
}
