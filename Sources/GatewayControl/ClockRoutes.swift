internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

/// The resources of a hosted space's clock, to read it and to move it, e.g. `POST /spaces/t17/clock/advance`.
struct ClockRoutes {
  let spaces: Spaces

  var routes: [HTTPRoute] {
    [
      HTTPRoute("GET", "/spaces/{name}/clock") { _, parameters in
        space(parameters["name"]).map { ControlAnswer.json(ClockBody($0)) }
          ?? ControlAnswer.error(SpaceRoutes.noSuchSpace)
      },
      HTTPRoute("POST", "/spaces/{name}/clock") { request, parameters in
        do throws(GatewayError) {
          return ControlAnswer.json(try set(parameters["name"], request))
        } catch {
          return ControlAnswer.error(error)
        }
      },
      HTTPRoute("POST", "/spaces/{name}/clock/advance") { request, parameters in
        do throws(GatewayError) {
          return ControlAnswer.json(try await advance(parameters["name"], request))
        } catch {
          return ControlAnswer.error(error)
        }
      },
    ]
  }

  private func space(_ name: String) -> HostedSpace? {
    spaces[name].map(\.hosted).flatMap { $0.isEnding ? nil : $0 }
  }

  // MARK: Setting

  private func set(_ name: String, _ request: HTTPRequest) throws(GatewayError) -> ClockBody {
    guard let space = space(name) else { throw SpaceRoutes.noSuchSpace }
    let order: ClockOrder = try ControlAnswer.order(request)
    let wall = try Self.wall(order.wall)
    do throws(Advance.Failure) {
      try space.setWall(to: wall)
    } catch {
      throw Self.refusal(of: error, name)
    }
    return ClockBody(space)
  }

  /// Reads a time of day that a space may be set to.
  static func wall(_ text: String) throws(GatewayError) -> WallTime {
    guard let wall = HostedSpace.wallTime(text) else {
      throw .invalidParameter.detailed(
        "wall must be a date by RFC 3339, as 2000-01-01T00:00:00Z, from 1970-01-01T00:00:00Z to 2200-01-01T00:00:00Z")
    }
    return wall
  }

  // MARK: Moving

  private static let patienceMax = 60_000

  private func advance(_ name: String, _ request: HTTPRequest) async throws(GatewayError) -> AdvanceBody {
    guard let space = space(name) else { throw SpaceRoutes.noSuchSpace }
    let order: AdvanceOrder = try ControlAnswer.order(request)
    guard (0...Advance.farthest.inSeconds).contains(order.byS) else {
      throw .invalidParameter.detailed("by_s must be 0 to 315576000, ten years")
    }
    guard (0...Self.patienceMax).contains(order.patienceMs ?? 0) else {
      throw .invalidParameter.detailed("patience_ms must be 0 to \(Self.patienceMax)")
    }
    let wall: Advance.WallClock = try Self.choice(order.wall, "wall") ?? .moves
    let stop: Advance.Stop? = try Self.choice(order.stopAt, "stop_at")
    do throws(Advance.Failure) {
      let advance = try await space.advance(
        by: .saturating(seconds: order.byS), patience: .milliseconds(order.patienceMs ?? 1000), wall: wall,
        until: stop)
      guard !space.isEnding else { throw .ended }
      return AdvanceBody(advance, at: space.loop.now)
    } catch {
      throw Self.refusal(of: error, name)
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String?, _ member: String
  ) throws(GatewayError) -> Choice? {
    guard let text else { return nil }
    // Compared by bytes, like all words from clients.
    if let choice = Choice.allCases.first(where: { Name($0.rawValue) == Name(text) }) { return choice }
    let words = Choice.allCases.map(\.rawValue).joined(separator: " or ")
    throw .invalidParameter.detailed("\(member) must be \(words)")
  }

  private static func refusal(of failure: Advance.Failure, _ name: String) -> GatewayError {
    switch failure {
    case .timeIsReal:
      .clockIsReal.detailed("the gateway behind \(name) keeps its own time; use tokens of a few seconds")
    case .alreadyUnderWay: .alreadyExists.worded("somebody moves the time of this space just now; one move at a time")
    case .ended: SpaceRoutes.noSuchSpace
    case .tooFar:
      .invalidParameter.detailed("by_s: the time of a space is moved by a hundred years in all; make another")
    case .endless(let steps):
      .tooMany.detailed("\(steps) deadlines were met and there are more: something sets one whenever one has passed")
    }
  }
}
