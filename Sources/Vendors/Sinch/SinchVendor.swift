package import GatewayCore
package import GatewayKit

/// Sinch's part of a gateway: its wire at `/sinch/v1/connect`, its tokens and its HTTP API.
package struct SinchVendor: Vendor {
  let directory: SinchDirectory
  package let bindings: [DialectBinding]
  package let issuers: [String: any TokenIssuer]
  private let registrar: SinchRegistrar
  private let services: any GatewayServices
  private let limits: SinchLimits

  init(_ settings: SinchSettings, on ground: Ground) {
    services = ground.services
    limits = SinchLimits(settings, on: ground)
    directory = SinchDirectory(ground.store, seed: ground.seed)
    registrar = SinchRegistrar(settings: settings, directory: directory, secrets: ground.secrets)
    let dialect = SinchDialect(settings)
    bindings = [
      DialectBinding(
        dialect, SinchAuthenticator(registrar),
        commands: SinchCommands(
          dialect, directory: directory,
          callbacks: SinchCallbacks(settings, by: ground.webhooks, drawing: ground.secrets), on: ground.executor),
        home: ground.home)
    ]
    issuers = settings.issuer(drawing: ground.secrets).map { ["sinch": $0] } ?? [:]
  }

  /// Has connections to this process continue with an instance that was registered over HTTP at another node, and counts
  /// what another node let pass.
  package func hear(_ note: VendorNote) async {
    guard let renewal = SinchRenewalNote(note) else { return limits.hear(note, at: services.wallTime) }
    let instance = await services.insist { () async throws(GatewayError) -> SinchInstance? in
      do throws(SinchRefusal) {
        return try await directory.instance(renewal.instance, at: services.wallTime)
      } catch {
        throw error.gatewayError
      }
    }
    if case let instance?? = instance { await renewal.renew(with: instance, on: services) }
  }

  package func renewal(by settings: any VendorSettings) throws -> KeyRenewal {
    guard let fresh = settings as? SinchSettings else { return {} }
    return { [own = registrar.settings] in own.takeSecrets(of: fresh) }
  }

  package func routes(with provider: TokenProvider) -> [HTTPRoute] {
    SinchRoutes(registrar: registrar, services: services, limits: limits).routes
  }
}

extension SinchSettings: VendorSettings {
  package func vendor(on ground: Ground) -> SinchVendor { SinchVendor(self, on: ground) }
}
