internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

extension PosternGateway {
  /// The result of advancing a gateway's time.
  public struct Advance: Hashable, Sendable {
    /// The number of deadlines that came, each at its own time.
    public let steps: Int
    /// The distance that the time was moved.
    public let moved: Duration
    /// The sessions whose clients still owed an answer at the end.
    public let owing: [Session]
    /// The number of sessions that were cut off because they had not answered in time or had never logged in.
    public let cutOff: Int
    /// The tasks that sleep until the time is advanced further, e.g. a provider with a latency of two seconds. Empty if time
    /// passes by itself.
    public let sleeping: [Sleep]

    /// Whether every client answered in time.
    public var isAnswered: Bool { owing.isEmpty && cutOff == 0 }

    init(_ advance: GatewaySpace.Advance, at now: Instant) {
      steps = advance.steps
      moved = advance.moved
      owing = advance.owing.map(Session.init)
      cutOff = advance.cutOff
      sleeping = advance.sleeping.map { Sleep(purpose: $0.purpose, wakesIn: max(.zero, $0.until - now)) }
    }
  }

  /// A sleeping task in a gateway whose time is frozen, e.g. the token provider's latency.
  public struct Sleep: Hashable, Sendable {
    /// The purpose of the sleep as text.
    public let purpose: String
    /// The distance by which the time must be advanced to wake it.
    public let wakesIn: Duration
  }

  /// The rule for the time of day when the time of sessions is advanced.
  public enum WallClock: Hashable, Sendable {
    /// It is advanced equally.
    case moves
    /// It is not advanced, for tokens minted by the real time of day.
    case stays
  }

  /// An event that ends an advance early.
  public enum Stop: Hashable, Sendable {
    /// A session is asked for another token.
    case refreshRequired
  }

  /// Why the time could not be advanced.
  public struct NotAdvanced: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  /// Advances the gateway's time from deadline to deadline.
  ///
  /// At each deadline, a client that owes an answer has `patience` for it in real time, while the gateway's time stands
  /// still. So a client that takes 300 ms loses nothing of its timeout. A silent client costs one patience, and is in
  /// ``Advance/owing``. If the advance passes its timeout, it is disconnected, which ``Advance/cutOff`` counts. Pings
  /// use real time.
  ///
  /// Returns the result. Throws ``NotAdvanced`` if the time could not be advanced: the limit is ten years at once, a hundred
  /// in all, and one advance at a time.
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
    case .failure(.ended), .failure(.timeIsReal): throw NotAdvanced(description: "the gateway has been stopped")
    case .failure(.tooFar):
      throw NotAdvanced(description: "the time of a gateway is moved by a hundred years in all: start another")
    case .failure(.endless(let steps)):
      throw NotAdvanced(description: "\(steps) deadlines were met and there are more: something sets one after another")
    }
  }

  /// Sets the gateway's time of day. Tokens are minted and verified by it from now on; sessions keep their deadlines.
  ///
  /// `date` is in the format of RFC 3339, e.g. `2000-01-01T00:00:00Z`, from 1970 to 2200. Throws ``NotAdvanced`` for any
  /// other date, and during an advance.
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

  /// Returns the gateway's age in its own time, including all advances.
  public func age() async -> Duration {
    await LoopStage(loop: space.hosted.host).perform { [hosted = space.hosted] in hosted.age }
  }
}
