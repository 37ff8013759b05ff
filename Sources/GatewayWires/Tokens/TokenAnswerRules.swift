internal import GatewayCore
internal import GatewayJSON

/// The places of values in an endpoint's answers: the token, a refresh token, an error code.
struct TokenAnswerRules: Sendable {
  let token: TokenPlace
  /// The pointers in the order of their slots.
  let taking: [JSONPointer]
  let ends: [TokenEndRule]
  /// The place of the error; nil if the description does not know it.
  let error: JSONPointer?

  private static let keys = ["token", "take", "end", "error"]
  private static let slotsMax = 8
  static let bodyMax = 1 << 20

  /// Returns the names of values that answers give for later.
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

  /// Stores the answer's values for later. A missing value stays as it was, since not every answer rotates it.
  func take(from body: JSONView?, into memory: inout TokenMemory) {
    guard let body else { return }
    for (slot, pointer) in taking.enumerated() where memory.taken.indices.contains(slot) {
      guard let text = pointer.find(in: body)?.scalarText, text.utf8.count <= Self.takenMax else { continue }
      memory.taken[slot] = text
    }
  }

  private static let takenMax = 16_384

  /// Returns the endpoint's error as a report shows it, without the user's secrets.
  func errorLabel(in body: JSONView?, hiding secrets: [String]) -> String? {
    guard let body, let error, let text = error.find(in: body)?.scalarText, !text.isEmpty else { return nil }
    let shown = secrets.filter { $0.utf8.count >= 3 }.reduce(text) { $0.replacing(bytesOf: $1, with: "secret") }
    return ReportLabel.cleaned(shown)
  }
}
