package import GatewayCore
internal import GatewayTokens

/// The settings of Sinch's side of a gateway: whether the credentials of the legacy generations are taken, for
/// instance. Where the vendor's own choice is not known, the comment says that it is ours.
package struct SinchSettings: Sendable {
  package var applications: SinchApplications
  package var tokens = SinchTokenPolicy()
  /// Whether errors name the check that failed and say what was expected; else they hold status and code only, as
  /// those of production do.
  package var explains = true
  /// Whether the credentials and paths of the legacy generations are taken.
  package var offersLegacy = true
  /// How far `x-timestamp` may be from the gateway's clock. Ours.
  package var timestampWindow = Duration.seconds(300)
  /// The passwords of vendor-managed users (legacy web), by their names.
  package var passwords: [Name: Credentials] {
    get { keptPasswords.value }
    set { keptPasswords.value = newValue }
  }
  /// How long three wrong passwords lock an account. Ours.
  package var passwordLock = Duration.seconds(300)
  /// How long the ticket lives that a right password gives. Ours; the vendor's samples have 3600 s.
  package var ticketLife = Duration.seconds(3600)
  /// How long a guest's registration lasts. Ours.
  package var guestLife = Duration.seconds(86_400)
  /// How many guests an address may make in a minute.
  package var guestsPerMinute = 60
  /// How many passwords an address may try in a minute.
  package var passwordsPerMinute = 30
  /// The longest registration of the legacy web SDK, which asks for a year.
  package var legacyInstanceLifeMax = Duration.seconds(31_536_000)

  private var keptPasswords = Renewable<[Name: Credentials]>([:])

  package init(applications: SinchApplications) {
    self.applications = applications
  }

  /// Has every copy of these go by the secrets and passwords of `other` from now on. A random secret stays.
  func takeSecrets(of other: SinchSettings) {
    if !other.applications.isRandom { applications.takeKeys(of: other.applications) }
    keptPasswords.take(other.keptPasswords)
  }

  /// Mints for the built-in token provider, which is told of no application: the first one's tokens.
  func issuer(drawing secrets: Secrets) -> (any TokenIssuer)? {
    applications.first.map { SinchUsualIssuer(first: $0, of: applications, policy: tokens, drawing: secrets) }
  }
}
