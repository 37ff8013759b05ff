internal import GatewayCore
internal import GatewayJSON

/// The places of what is to be found in an endpoint's answers: the token at `/access`, for instance, a refresh token at
/// `/refresh`, a code at `/code`.
struct TokenAnswerRules: Sendable {
  let token: TokenPlace
  /// In the order of their slots.
  let taking: [JSONPointer]
  let ends: [TokenEndRule]
  /// Where an answer says what is wrong; nil where the description does not know.
  let error: JSONPointer?

  private static let keys = ["token", "take", "end", "error"]
  private static let slotsMax = 8
  static let bodyMax = 1 << 20

  /// The names of what answers give for later.
  static func taken(by described: Described) throws(DescriptionError) -> [String] {
    guard let take = try described.object(keys)["take"] else { return [] }
    let names = try take.members().map(\.name)
    guard names.count <= slotsMax else { throw take.error("more than \(slotsMax) names are taken") }
    return names
  }

  init(_ described: Described, taken: [String]) throws(DescriptionError) {
    let rules = try described.object(Self.keys)
    token = try TokenPlace(try rules.required("token", example: "\"/access_token\""))
    taking =
      try rules["take"]?.members().map { (member) throws(DescriptionError) in try JSONPointer(member.value) } ?? []
    ends = try TokenEndRule.rules(rules["end"])
    error = try rules["error"].map { (error) throws(DescriptionError) in try JSONPointer(error) }
  }

  static func body(of response: HTTPResponse) -> JSONView? {
    (try? JSONDocument.parse(response.body, sizeMax: bodyMax))?.root
  }

  /// Keeps what the answer gives for later. What it does not give stays: not every answer rotates.
  func take(from body: JSONView?, into memory: inout TokenMemory) {
    guard let body else { return }
    for (slot, pointer) in taking.enumerated() where memory.taken.indices.contains(slot) {
      guard let text = pointer.find(in: body)?.scalarText, text.utf8.count <= Self.takenMax else { continue }
      memory.taken[slot] = text
    }
  }

  private static let takenMax = 16_384

  /// The endpoint's own word for what is wrong, as a report shows it: none of the user's secrets is in it.
  func errorLabel(in body: JSONView?, hiding secrets: [String]) -> String? {
    guard let body, let error, let text = error.find(in: body)?.scalarText, !text.isEmpty else { return nil }
    let shown = secrets.filter { $0.utf8.count >= 3 }.reduce(text) { $0.replacing(bytesOf: $1, with: "secret") }
    return ReportLabel.cleaned(shown)
  }
}
