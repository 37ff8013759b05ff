import java.net.URI
import java.net.http.HttpClient
import java.net.http.WebSocket
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.TimeUnit
import postern.testing.Json

private val HTTP = HttpClient.newHttpClient()

/** The client under test: it logs in, and answers each refresh request with a new token. Replace it by yours. */
class Client(url: String, private val answers: Boolean = true, private val provider: () -> String) :
    WebSocket.Listener, AutoCloseable {
    private val text = StringBuilder()
    private val connected = CompletableFuture<Unit>()

    /** Completes when it is closed, with the code. */
    val closed = CompletableFuture<Int>()
    private val socket: WebSocket

    init {
        val building = HTTP.newWebSocketBuilder().buildAsync(URI.create(url), this)
        socket = building.get(5, TimeUnit.SECONDS)
        say("connect")
        closed.thenAccept { connected.completeExceptionally(IllegalStateException("closed with $it")) }
        connected.get(5, TimeUnit.SECONDS)
    }

    private fun say(type: String) {
        val message = Json.write(mapOf("type" to type, "token" to provider()))
        socket.sendText(message, true).get(5, TimeUnit.SECONDS)
    }

    override fun onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage<*>? {
        text.append(data)
        if (last) {
            val message = Json.read(text.toString())
            text.setLength(0)
            when (message["type"]) {
                "connected" -> connected.complete(Unit)
                // Not on this thread, which is the socket's: the provider is asked over HTTP.
                "refresh_required" -> if (answers) CompletableFuture.runAsync { say("refresh") }
                        .exceptionally { closed.completeExceptionally(it); null }
            }
        }
        socket.request(1)
        return null
    }

    override fun onClose(socket: WebSocket, code: Int, reason: String): CompletionStage<*>? {
        closed.complete(code)
        return null
    }

    override fun onError(socket: WebSocket, error: Throwable) {
        closed.completeExceptionally(error)
    }

    override fun close() {
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(5, TimeUnit.SECONDS)
    }
}
