import GatewayKit

/// The values of a storm's flags about workers, before they are checked together.
struct WorkerDraft: Sendable {
  var addresses: [WorkerAddress] = []
  /// The file of the secret.
  var secret: Arguments.Value?
  /// The file of the authority that signs the workers' certificates.
  var authority: Arguments.Value?
  var wait = Duration.zero

  @OptionList<WorkerDraft>
  static var options: [Option<WorkerDraft>] {
    Option(
      "worker", "HOST:PORT",
      "have postern worker there carry out a part of the storm, with TLS off loopback; files that flags name must lie there too",
      repeats: true
    ) { value, draft in draft.addresses.append(try WorkerAddress(value)) }
    Option("worker-secret-file", "FILE", "what the workers' --secret-file holds", \.secret, .asGiven)
    Option(
      "worker-ca", "FILE", "who signs the workers' certificates, PEM (default: whom the system trusts)", \.authority,
      .asGiven)
    Option(
      "worker-wait", "DURATION", "how long to wait for workers that cannot be reached yet (default 0s)", \.wait,
      .duration)
  }
}
