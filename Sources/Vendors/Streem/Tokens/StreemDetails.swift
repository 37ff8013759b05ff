/// The content of an `identify` beside the token: the version of the SDK, for instance.
struct StreemDetails: Hashable, Sendable {
  var name: String?
  var avatarURL: String?
  var companyCode: String?
  var sdkVersion: String?
  var isExpert: Bool?
}
