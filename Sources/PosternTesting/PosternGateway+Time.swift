internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

extension PosternGateway {
  /// An account of how the time of a gateway was moved: how far, in how many steps, and the sessions without an answer.
  public struct Advance: Hashable, Sendable {
    /// How many deadlines were met, each at its own time.
    public let steps: Int
    /// How far.
    public let moved: Duration
    /// The sessions whose clients had been asked for something and had not answered at the end.
    public let owing: [Session]
    /// How many were cut off on the way, because they had not answered in time or had never logged in.
    public let cutOff: Int
    /// The tasks that continue only when the time is moved again, in a gateway whose time stands still, e.g. a provider that
    /// takes two seconds for each token. Empty if time passes.
    public let sleeping: [Sleep]

    /// Whether everybody answered in time.
    public var isAnswered: Bool { owing.isEmpty && cutOff == 0 }

    init(_ advance: GatewaySpace.Advance, at now: Instant) {
      steps = advance.steps
      moved = advance.moved
      owing = advance.owing.map(Session.init)
      cutOff = advance.cutOff
      sleeping = advance.sleeping.map { Sleep(purpose: $0.purpose, wakesIn: max(.zero, $0.until - now)) }
    }
  }

  /// A sleeping task while the time of a gateway stands still, and when it wakes.
  public struct Sleep: Hashable, Sendable {
    /// In words.
    public let purpose: String
    /// By how much the time has to be moved.
    public let wakesIn: Duration
  }

  /// The rule for the time of day when the time of sessions is moved. It can stay, e.g. if a test mints its tokens itself.
  public enum WallClock: Hashable, Sendable {
    /// It is moved as far.
    case moves
    /// It goes on as it went: for tokens that somebody mints by the real time of day.
    case stays
  }

  /// An event that ends a move early, e.g. a refresh request.
  public enum Stop: Hashable, Sendable {
    /// A session is asked for another token.
    case refreshRequired
  }

  /// The reason why the time could not be moved, e.g. that another move is under way.
  public struct NotAdvanced: Error, CustomStringConvertible {
    /// The obstacle.
    public let description: String
  }

  /// Moves the gateway's time on, from deadline to deadline. A client that owes an answer at one gets `patience` in real
  /// time, while the gateway's time stands still: a client that takes 300 ms loses none of its timeout. A client without an
  /// answer costs one patience, and is in ``Advance/owing``; if the move goes past its timeout, it is cut off, which
  /// ``Advance/cutOff`` counts. Pings keep to real time.
  ///
  /// Returns how it went; throws ``NotAdvanced`` if it could not be moved: ten years at most, a hundred in all, one move at
  /// a time.
  @discardableResult
  public func advance(
    by duration: Duration, patience: Duration = .seconds(1), wall: WallClock = .moves, until stop: Stop? = nil
  ) async throws -> Advance {
    guard duration >= .zero, duration <= GatewaySpace.Advance.farthest else {
      throw NotAdvanced(description: "time moves forward, by ten years at most")
    }
    let patience = min(max(patience, .zero), .seconds(3_600))
    let outcome = await LoopStage(loop: space.hosted.host).perform { [hosted = space.hosted] in
      do throws(GatewaySpace.Advance.Failure) {
        let advance = try await hosted.advance(
          by: duration, patience: patience, wall: wall == .moves ? .moves : .stays,
          until: stop.map { _ in .refreshRequired })
        return Result<Advance, GatewaySpace.Advance.Failure>.success(Advance(advance, at: hosted.loop.now))
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let advance): return advance
    case .failure(.alreadyUnderWay): throw NotAdvanced(description: "somebody moves this gateway's time just now")
    case .failure(.ended): throw NotAdvanced(description: "the gateway has been stopped")
    case .failure(.tooFar):
      throw NotAdvanced(description: "the time of a gateway is moved by a hundred years in all: start another")
    case .failure(.endless(let steps)):
      throw NotAdvanced(description: "\(steps) deadlines were met and there are more: something sets one after another")
    }
  }

  /// Has the gateway's time of day be another one: tokens are made and judged by it from now on, and sessions keep their
  /// deadlines. `date` is by RFC 3339, `2000-01-01T00:00:00Z`, from 1970 to 2200. Throws ``NotAdvanced`` for any other, and
  /// while somebody moves the time.
  public func setWall(to date: String) async throws {
    guard let wall = HostedSpace.wallTime(date) else {
      throw NotAdvanced(description: "'\(date)' is no date by RFC 3339 from 1970 to 2200; write 2000-01-01T00:00:00Z")
    }
    let outcome = await LoopStage(loop: space.hosted.host).perform { [hosted = space.hosted] in
      do throws(GatewaySpace.Advance.Failure) {
        try hosted.setWall(to: wall)
        return Result<Void, GatewaySpace.Advance.Failure>.success(())
      } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success: return
    case .failure(.alreadyUnderWay): throw NotAdvanced(description: "somebody moves this gateway's time just now")
    case .failure: throw NotAdvanced(description: "the gateway has been stopped")
    }
  }

  /// How long it has lasted in its own time, the moves with it.
  public func age() async -> Duration {
    await LoopStage(loop: space.hosted.host).perform { [hosted = space.hosted] in hosted.age }
  }
}
