/// The data of an `identify` besides the token.
struct StreemDetails: Hashable, Sendable {
  var name: String?
  var avatarURL: String?
  var companyCode: String?
  var sdkVersion: String?
  var isExpert: Bool?
}
