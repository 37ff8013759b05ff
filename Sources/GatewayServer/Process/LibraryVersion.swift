internal import CLibWebSockets

/// The version of libwebsockets that this process runs with, e.g. `4.1.6`.
package enum LibraryVersion {
  /// The version without the library's commit, which follows a dash.
  package static let text = String(
    String(cString: lws_get_library_version()).prefix { $0 != "-" && $0 != " " })
}
