internal import GatewayCore
internal import GatewayTokens

/// The settings of Sinch's part of a gateway. "Ours" marks a choice that the vendor does not publish.
package struct SinchSettings: Sendable {
  var applications: SinchApplications
  var tokens = SinchTokenPolicy()
  /// Whether errors name the failed check and the expected value; else they contain only status and code, as in
  /// production.
  var explains = true
  /// Whether the credentials and paths of the legacy generations are accepted.
  var offersLegacy = true
  /// The tolerance for `x-timestamp`. Ours.
  var timestampWindow = Duration.seconds(300)
  /// The passwords of vendor-managed users (legacy web), by name.
  var passwords: [Name: Credentials] {
    get { keptPasswords.value }
    set { keptPasswords.value = newValue }
  }
  /// How long three wrong passwords lock an account. Ours.
  var passwordLock = Duration.seconds(300)
  /// The life of the ticket for a right password. Ours; the vendor's samples use 3600 s.
  var ticketLife = Duration.seconds(3600)
  /// The life of a guest's registration. Ours.
  var guestLife = Duration.seconds(86_400)
  /// The number of guests that an address may create in a minute.
  var guestsPerMinute = 60
  /// The number of passwords that an address may try in a minute.
  var passwordsPerMinute = 30
  /// The longest registration of the legacy web SDK, which requests a year.
  var legacyInstanceLifeMax = Duration.seconds(31_536_000)

  /// The address that gets callbacks about calls; nil for none.
  var callbackAddress: SinchCallbackAddress?

  private var keptPasswords = Renewable<[Name: Credentials]>([:])

  init(applications: SinchApplications) {
    self.applications = applications
  }

  /// Adopts the secrets and passwords of `other`, in every copy of these settings. A random secret stays.
  func takeSecrets(of other: SinchSettings) {
    if !other.applications.isRandom { applications.takeKeys(of: other.applications) }
    keptPasswords.take(other.keptPasswords)
  }

  /// Returns an issuer for the built-in token provider, which gets no application: it uses the first one.
  func issuer(drawing secrets: Secrets) -> (any TokenIssuer)? {
    applications.first.map { SinchUsualIssuer(first: $0, of: applications, policy: tokens, drawing: secrets) }
  }
}
