import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayServer

/// A hosted space that a recording or a journal is played in, and its clock. Use it only from tasks on the dialer's loop.
struct ReplaySpace: Sendable {
  /// Why a replay could not be completed.
  struct Stopped: Error {
    let sentence: String
  }

  let dialer: SocketDialer
  let body: SpaceBody
  private let control: ControlClient
  private let path: String

  /// Makes a space. Throws ``Stopped`` if the gateway refuses it.
  init(_ order: MakeSpaceOrder, control: ControlClient, by dialer: SocketDialer) async throws {
    let made = try await control.send(.post("/spaces", order), by: dialer)
    guard made.status < 400 else { throw Stopped(sentence: made.complaint) }
    body = try JSONCoder().decode(SpaceBody.self, from: made.data)
    path = "/spaces/\(body.name)"
    (self.control, self.dialer) = (control, dialer)
  }

  /// Makes a space, returns the result of `play` in it, and ends it. One that cannot be ended now ends by itself when it is
  /// idle.
  static func with<Outcome: Sendable>(
    _ order: MakeSpaceOrder, control: ControlClient, on loop: SocketLoop,
    _ play: @Sendable @escaping (ReplaySpace) async throws -> Outcome
  ) async throws -> Outcome {
    try await Task(executorPreference: loop.events) {
      let space = try await ReplaySpace(order, control: control, by: SocketDialer(on: loop))
      let outcome: Result<Outcome, any Error>
      do {
        outcome = .success(try await play(space))
      } catch {
        outcome = .failure(error)
      }
      _ = try? await control.send(HTTPRequest(method: "DELETE", path: space.path), by: space.dialer)
      return try outcome.get()
    }.value
  }

  /// Returns what signs with the space's secret. Throws ``Stopped`` if the gateway does not tell it.
  func tokens() throws -> ReplayTokens {
    guard let secret = body.secret else {
      throw Stopped(sentence: "the gateway tells no secret to sign with: leave its keys out of --set")
    }
    return ReplayTokens(secret: secret)
  }

  func provider() throws -> ReplayProvider {
    try ReplayProvider(body.httpURL, control: control, space: path, dialer)
  }

  /// Asks the space; the path is below its own.
  func ask<Content: Decodable>(_ request: HTTPRequest) async throws -> Content {
    let answer = try await send(request)
    guard answer.status < 400 else { throw Stopped(sentence: answer.complaint) }
    return try JSONCoder().decode(Content.self, from: answer.data)
  }

  private func send(_ request: HTTPRequest) async throws -> ControlClient.Answer {
    var request = request
    request.path = path + request.path
    return try await control.send(request, by: dialer)
  }

  func wallTime() async throws -> WallTime {
    let clock: ClockBody = try await ask(.get("/clock"))
    return WallTime(seconds: clock.wall)
  }

  func advance(by seconds: Double) async throws {
    let _: AdvanceBody = try await ask(.post("/clock/advance", AdvanceOrder(byS: seconds, patienceMs: 0)))
  }

  private struct Awaited: Decodable {
    let lines: [ReplayLine]
  }

  /// Waits until the journal has such a line, and returns the last of them; nil if none comes.
  func awaited(_ order: WaitOrder) async throws -> ReplayLine? {
    let awaited: Awaited = try await ask(.post("/journal/await", order))
    return awaited.lines.last
  }

  /// Sends an order to a session. If the session is gone, what is heard or journaled afterwards shows that.
  func order(_ word: String, _ order: some ControlOrder, session: String) async throws {
    _ = try await send(.post("/sessions/\(session)/\(word)", order))
  }

  /// Revokes the tokens of a user, those issued at this very moment included.
  func revoke(_ user: String) async throws {
    let order = RevocationOrder(userID: user, issuedBefore: try await wallTime().seconds + 0.001)
    _ = try await send(.post("/revocations", order))
  }
}
