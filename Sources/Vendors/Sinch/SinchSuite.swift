package import GatewayCore

/// Sinch put together: its wire, its tokens and its HTTP side.
package enum SinchSuite {
  /// The dialect with these settings, for a gateway that remembers in `directory`.
  package static func make(_ settings: SinchSettings, directory: any SinchDirectory) -> DialectSuite {
    let registrar = SinchRegistrar(settings: settings, directory: directory)
    let dialect = SinchDialect(settings)
    let binding = DialectBinding(
      dialect, SinchAuthenticator(registrar), operations: SinchOperations(dialect, directory: directory))
    return DialectSuite([binding], issuers: settings.issuer.map { ["sinch": $0] } ?? [:]) { services in
      SinchRoutes(registrar: registrar, services: services).routes
    }
  }
}
