internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySendbird

extension DialectSuite {
  /// A Sendbird application whose directories and sessions live on `loop`.
  static func sendbird(
    _ settings: SendbirdSettings, _ policy: SessionPolicy, on loop: EventLoop, seed: UInt64
  ) throws -> DialectSuite {
    let directory = MemorySendbirdDirectory(on: loop)
    let limits = MemorySendbirdChannelLimits(messageBytes: settings.messageBytesMax)
    let channels = MemorySendbirdChannels(on: loop, limits: limits)
    let suite = try SendbirdSuite(
      settings, directory: directory, channels: channels, on: loop, generator: SeededGenerator(seed: seed))
    return try suite.dialectSuite(policy, users: directory, channels: channels, on: loop)
  }
}
