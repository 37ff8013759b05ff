import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayServer

/// A hosted space that a recording or a journal is played in, and its clock. Use it only from tasks on the dialer's loop.
struct ReplaySpace: Sendable {
  let control: ControlClient
  let dialer: SocketDialer
  let body: SpaceBody
  let path: String

  /// Makes a space. Throws ``ReplayRun/Stopped`` if the gateway refuses it.
  init(_ order: MakeSpaceOrder, control: ControlClient, by dialer: SocketDialer) async throws {
    let made = try await control.send(.post("/spaces", order), by: dialer)
    guard made.status < 400 else { throw ReplayRun.Stopped(sentence: made.complaint) }
    body = try JSONCoder().decode(SpaceBody.self, from: made.data)
    path = "/spaces/\(body.name)"
    (self.control, self.dialer) = (control, dialer)
  }

  /// Ends the space. One that cannot be ended now ends by itself when it is idle.
  func end() async { _ = try? await control.send(HTTPRequest(method: "DELETE", path: path), by: dialer) }

  /// Asks the space; the path is below its own.
  func ask<Content: Decodable>(_ request: HTTPRequest) async throws -> Content {
    var request = request
    request.path = path + request.path
    let answer = try await control.send(request, by: dialer)
    guard answer.status < 400 else { throw ReplayRun.Stopped(sentence: answer.complaint) }
    return try JSONCoder().decode(Content.self, from: answer.data)
  }

  func wallTime() async throws -> WallTime {
    let clock: ClockBody = try await ask(HTTPRequest(method: "GET", path: "/clock"))
    return WallTime(seconds: clock.wall)
  }

  func advance(by seconds: Double) async throws {
    let _: AdvanceBody = try await ask(.post("/clock/advance", AdvanceOrder(byS: seconds, patienceMs: 0)))
  }

  struct Awaited: Decodable {
    let lines: [ReplayLine]
  }

  /// Sends an order to a session. If it is gone, what the client hears shows that.
  func order(_ word: String, session: String) async throws {
    _ = try await control.send(.post("\(path)/sessions/\(session)/\(word)", NoMembers()), by: dialer)
  }

  func disconnect(session: String, code: Int) async throws {
    let order = DisconnectOrder(code: UInt16(clamping: code), reason: "")
    _ = try await control.send(.post("\(path)/sessions/\(session)/disconnect", order), by: dialer)
  }
}
