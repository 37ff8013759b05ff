/// A file that a flag names by its path, or by a bare name where it comes with postern: `nats` for
/// `Deploy/wires/nats.json`, for instance.
enum NamedFile {
  static func path(_ text: String, in folder: String) -> String {
    let isName = !text.contains("/") && !text.hasSuffix(".json")
    let known = "\(folder)/\(text).json"
    return isName && !FilePath(text).exists && FilePath(known).exists
      ? known : text
  }
}
