package import GatewayCore

extension SendbirdSuite {
  /// The dialect with everything an application has: sessions, users by the Platform API, channels and messages.
  /// `executor` is best the directories'.
  package func dialectSuite(
    _ policy: SessionPolicy, users: any SendbirdDirectory, channels: any SendbirdChannelDirectory,
    on executor: any SerialExecutor
  ) throws(SessionPolicyError) -> DialectSuite {
    let rates = settings.limitsRates ? SendbirdRates(on: executor) : nil
    let commands = SendbirdCommands(directory: users, channels: channels, rates: rates)
    let signer = signer
    return try dialectSuite(policy, operations: commands, observer: commands) { gate, services in
      let platform = SendbirdUserRoutes(
        gate: gate, services: services, directory: users, channels: channels, signer: signer, rates: rates)
      let channelRoutes = SendbirdChannelRoutes(
        gate: gate, services: services, directory: users, channels: channels, rates: rates)
      return platform.routes + channelRoutes.routes
    }
  }
}
