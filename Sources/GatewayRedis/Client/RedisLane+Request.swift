internal import GatewayCore

extension RedisLane {
  /// Commands that go to the server after each other, and what hears their replies.
  struct Request {
    var bytes: [UInt8]
    /// The size of ``bytes``, which are dropped once they are sent.
    var size: Int
    /// The number of commands in it.
    var count: Int
    var since: Instant
    var answer: (Answer) -> Void
  }
}
