import GatewayKit

/// The descriptions that ship with postern, each with its name: `nats` for `nats.json` among the wires.
///
/// One rule applies everywhere: a value with a `/` or a `.` is the path of a file, any other is a name. Names are looked up
/// in the current folder's checkout first. The checkout of the program's build follows, and then the folder where the package
/// installs the files.
enum ShippedFiles: String {
  case wires, tokens

  /// A file that ships with postern.
  struct File {
    let name: String
    let path: String
  }

  private static let suffix = ".json"

  /// The folders: below the current folder, below the folder with the program's `.build`, and beside the program
  /// (`/usr/share/postern/wires` for `/usr/bin/postern`).
  private var folders: [FilePath] {
    var folders = [FilePath("Deploy/\(rawValue)")]
    guard let program = FilePath("/proc/self/exe").destination else { return folders }
    let parts = program.split(separator: "/")
    if let place = parts.lastIndex(where: { $0.utf8.elementsEqual(".build".utf8) }) {
      folders.append(FilePath("/" + parts[..<place].joined(separator: "/")).appending("Deploy/\(rawValue)"))
    }
    folders.append(FilePath(program).folder.folder.appending("share/postern/\(rawValue)"))
    return folders
  }

  /// The list of the folders, for error messages.
  var places: String { folders.map(\.text).joined(separator: ", ") }

  /// Returns whether a value is a name, and no path of a file.
  static func isName(_ text: String) -> Bool { !text.contains("/") && !text.contains(".") }

  /// All files, each name once, in order.
  var all: [File] {
    var files: [File] = []
    for folder in folders {
      for entry in folder.names.sorted() where entry.hasSuffix(Self.suffix) && !entry.hasSuffix(".schema.json") {
        let name = String(entry.dropLast(Self.suffix.count))
        guard !files.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { continue }
        files.append(File(name: name, path: folder.appending(entry).text))
      }
    }
    return files.sorted { $0.name < $1.name }
  }

  /// Returns the path for a value. Throws a ``UsageError`` that suggests the nearest name.
  func path(_ value: Arguments.Value) throws -> String {
    guard Self.isName(value.text) else { return value.text }
    let files = all
    if let file = files.first(where: { $0.name.utf8.elementsEqual(value.text.utf8) }) { return file.path }
    let near = Suggestion.near(value.text, among: files.map(\.name)).map { "'\($0)'" }
    throw UsageError(
      "\(value.source): no '\(value.text)' among the \(rawValue) that come with postern (\(places))"
        + (near.isEmpty ? "" : Suggestion.question(near))
        + "; postern wire list\(self == .tokens ? " --tokens" : "") names them, and a file of your own has a path, as ./\(value.text).json"
    )
  }

  /// Returns the whole text of a file. Throws a ``UsageError`` with the reason if it cannot be read.
  func text(of file: File) throws -> String {
    String(decoding: try InputFile.readLocal(file.path, of: file.name, sizeMax: Self.sizeMax), as: UTF8.self)
  }

  private static let sizeMax = 1 << 20

  /// Returns the first sentence of the comment at the file's beginning; empty if there is none.
  func about(_ file: File) throws -> String {
    var words: [Substring] = []
    for line in try text(of: file).split(separator: "\n") {
      let line = line.drop { $0 == " " }
      if line.hasPrefix("//") {
        words += line.dropFirst(2).split(separator: " ")
        if words.last?.hasSuffix(".") == true { break }
      } else if !words.isEmpty || line != "{" {
        break
      }
    }
    let end = words.firstIndex { $0.hasSuffix(".") } ?? words.count - 1
    return words.prefix(end + 1).joined(separator: " ")
  }
}
