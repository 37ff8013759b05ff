package import GatewayCore

/// Sinch put together: its wire, its tokens and its HTTP side.
package enum SinchSuite {
  /// The dialect with these settings. The token provider's queue is kept on `executor`, a loop of the gateway.
  package static func make(
    _ settings: SinchSettings, directory: any SinchDirectory, provider: TokenProviderPolicy,
    on executor: any SerialExecutor
  ) -> DialectSuite {
    let registrar = SinchRegistrar(settings: settings, directory: directory)
    let binding = DialectBinding(
      SinchDialect(settings), SinchAuthenticator(registrar), operations: SinchOperations(directory: directory))
    return DialectSuite([binding]) { services in
      let provider = TokenProvider(on: executor, policy: provider, services: services, issuer: SinchTurnIssuer())
      return SinchRoutes(registrar: registrar, provider: provider, services: services).routes
    }
  }
}
