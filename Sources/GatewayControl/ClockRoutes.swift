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

  private struct ClockBody: Encodable {
    /// The seconds since the space was made, in its own time.
    let sessionS: Double
    /// The space's time of day, in seconds since 1970.
    let wall: Double
    let frozen: Bool
    let movedS: Double
    /// The age of the journal in real time, as in its lines.
    let realMs: Int64?
    let sleeping: [SleepBody]

    enum CodingKeys: String, CodingKey {
      case wall, frozen, sleeping
      case realMs = "real_ms"
      case sessionS = "session_s"
      case movedS = "moved_s"
    }

    init(_ space: HostedSpace) {
      sessionS = space.age.inWholeMicroseconds
      wall = space.loop.wallTime.seconds
      frozen = space.isFrozen
      movedS = space.moved.inWholeMicroseconds
      realMs = space.space.gateway.journal?.age.milliseconds
      sleeping = space.sleeping.map { SleepBody($0, at: space.loop.now) }
    }
  }

  /// A task that waits for the space's time to move.
  private struct SleepBody: Encodable {
    let purpose: String
    let wakesInMs: Int64

    enum CodingKeys: String, CodingKey {
      case purpose
      case wakesInMs = "wakes_in_ms"
    }

    init(_ sleep: EventLoop.Sleep, at now: Instant) {
      purpose = sleep.purpose
      // A task whose time has come was woken by the move.
      wakesInMs = (max(.zero, sleep.until - now) + .nanoseconds(999_999)).milliseconds
    }
  }

  // MARK: Setting

  private struct SetOrder: ControlBody {
    let wall: String

    enum CodingKeys: String, CodingKey, CaseIterable { case wall }
  }

  private func set(_ name: String, _ request: HTTPRequest) throws(GatewayError) -> ClockBody {
    guard let space = space(name) else { throw SpaceRoutes.noSuchSpace }
    let order: SetOrder = try ControlAnswer.body(request, #"{"wall": "2000-01-01T00:00:00Z"}"#)
    let wall = try Self.wall(order.wall)
    do throws(Advance.Failure) {
      try space.setWall(to: wall)
    } catch {
      throw Self.refusal(of: error)
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

  private struct AdvanceOrder: ControlBody {
    let byS: Double
    let patienceMs: Int?
    let wall: String?
    let stopAt: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
      case wall
      case byS = "by_s"
      case patienceMs = "patience_ms"
      case stopAt = "stop_at"
    }
  }

  /// The result of a move.
  private struct AdvanceBody: Encodable {
    let steps: Int
    let movedS: Double
    let answered: Bool
    let cutOff: Int
    let owing: [SessionBody]
    let sleeping: [SleepBody]

    enum CodingKeys: String, CodingKey {
      case steps, answered, owing, sleeping
      case movedS = "moved_s"
      case cutOff = "cut_off"
    }

    init(_ advance: Advance, at now: Instant) {
      steps = advance.steps
      movedS = advance.moved.inWholeMicroseconds
      answered = advance.isAnswered
      cutOff = advance.cutOff
      owing = advance.owing.map(SessionBody.init)
      sleeping = advance.sleeping.map { SleepBody($0, at: now) }
    }
  }

  private static let patienceMax = 60_000

  private func advance(_ name: String, _ request: HTTPRequest) async throws(GatewayError) -> AdvanceBody {
    guard let space = space(name) else { throw SpaceRoutes.noSuchSpace }
    let order: AdvanceOrder = try ControlAnswer.body(
      request,
      #"{"by_s": 0...315576000, "patience_ms"?: 0...60000, "wall"?: "moves" or "stays", "stop_at"?: "refresh_required"}"#
    )
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
      throw Self.refusal(of: error)
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

  private static func refusal(of failure: Advance.Failure) -> GatewayError {
    switch failure {
    case .alreadyUnderWay: .alreadyExists.worded("somebody moves the time of this space just now; one move at a time")
    case .ended: SpaceRoutes.noSuchSpace
    case .tooFar:
      .invalidParameter.detailed("by_s: the time of a space is moved by a hundred years in all; make another")
    case .endless(let steps):
      .tooMany.detailed("\(steps) deadlines were met and there are more: something sets one whenever one has passed")
    }
  }
}

extension Duration {
  /// The duration in seconds, to the microsecond, which is also the resolution of a token's dates.
  fileprivate var inWholeMicroseconds: Double {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(nanoseconds < 0 ? -500 : 500)
    return overflow ? inSeconds : Double(sum / 1000) / 1e6
  }
}
