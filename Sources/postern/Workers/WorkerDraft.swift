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
      "the address of a postern worker that runs a part of the storm, with TLS to other machines; files that flags name must be there too",
      repeats: true
    ) { value, draft in draft.addresses.append(try WorkerAddress(value)) }
    Option(
      "worker-secret-file", "FILE", "the file with the secret that the workers have in their --secret-file", \.secret,
      .asGiven)
    Option(
      "worker-ca", "FILE",
      "the authority that signed the workers' certificates, PEM (default: the system's authorities)", \.authority,
      .asGiven)
    Option(
      "worker-wait", "DURATION", "how long to wait for workers that are not reachable yet (default 0s)", \.wait,
      .duration)
  }
}
