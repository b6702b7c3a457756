/* The screen of a terminal. Splits output into characters and control sequences, and
 * changes the cells accordingly. */
#include "terminal.h"

void
screen_begin(struct screen *screen, int columns)
{
    assert_in_range(columns, 1, SCREEN_COLUMNS);
    memset(screen, 0, sizeof(*screen));
    screen->columns = columns;
}

/* Moves the cursor down. If it is in the last row, the screen scrolls instead. */
static void
move_down(struct screen *screen)
{
    if (screen->row < SCREEN_ROWS - 1) {
        screen->row++;
        return;
    }
    memmove(screen->cells[0], screen->cells[1],
            sizeof(screen->cells) - sizeof(screen->cells[0]));
    memmove(screen->colors[0], screen->colors[1],
            sizeof(screen->colors) - sizeof(screen->colors[0]));
    memset(screen->cells[SCREEN_ROWS - 1], 0, sizeof(screen->cells[0]));
}

/* Writes CHARACTER into the cell of the cursor, at the start of the next row if the row
 * is full. */
static void
put_character(struct screen *screen, const char *character)
{
    if (screen->column == screen->columns) {
        screen->wraps++;
        screen->column = 0;
        move_down(screen);
    }
    strcpy(screen->cells[screen->row][screen->column], character);
    screen->colors[screen->row][screen->column] = screen->color;
    screen->column++;
}

/* Returns the column of the cursor. After the last cell was filled the cursor stays there
 * until the next character. */
static int
cursor_column(const struct screen *screen)
{
    return screen->column < screen->columns ? screen->column : screen->columns - 1;
}

/* Erases cells in the row of the cursor. HOW is the parameter of EL (ECMA-48): 0 from the
 * cursor to the end, 1 from the start to the cursor, 2 the whole row. */
static void
erase_in_row(struct screen *screen, int how)
{
    int from = how == 0 ? cursor_column(screen) : 0;
    int to = how == 1 ? cursor_column(screen) + 1 : screen->columns;
    for (int i = from; i < to; i++)
        screen->cells[screen->row][i][0] = '\0';
}

/* Fails the test because of an unknown control character or sequence. */
static void
fail_on(const char *sequence)
{
    char shown[200] = "";
    for (const char *at = sequence; *at; at++)
        sprintf(shown + strlen(shown), *at < ' ' ? "\\%03o" : "%c", *at);
    fail_msg("the screen does not know %s", shown);
}

/* Shows the alternate screen, which is empty, or the usual one, as it was before. */
static void
show_alternate(struct screen *screen, bool alternate)
{
    if (alternate == screen->is_alternate)
        return;

    screen->is_alternate = alternate;
    if (alternate) {
        memcpy(screen->usual_cells, screen->cells, sizeof(screen->cells));
        memset(screen->cells, 0, sizeof(screen->cells));
        screen->usual_row = screen->row;
        screen->usual_column = screen->column;
    } else {
        memcpy(screen->cells, screen->usual_cells, sizeof(screen->cells));
        screen->row = screen->usual_row;
        screen->column = screen->usual_column;
    }
}

/* Moves the cursor to a row and a column, both from 1. */
static void
move_to(struct screen *screen, int row, int column)
{
    assert_in_range(row, 1, SCREEN_ROWS);
    assert_in_range(column, 1, SCREEN_COLUMNS);
    screen->row = row - 1;
    screen->column = column - 1;
}

/* Executes a complete sequence ESC [ NUMBER FINAL. Without NUMBER it is 0. Returns false
 * if the sequence is unknown. */
static bool
execute_number(struct screen *screen)
{
    char final = screen->part[screen->part_size - 1];
    char excess;
    int number = 0;
    int read = sscanf(screen->part, "\033[%d%c%c", &number, &final, &excess);
    if (screen->part_size != 3 && (read != 2 || screen->part_size >= 6))
        return false;

    if (final == 'K' && number <= 2)
        erase_in_row(screen, number);
    else if (final == 'J' && number == 2)
        memset(screen->cells, 0, sizeof(screen->cells));
    else if (final == 'm' && (number == 0 || number == 39))
        screen->color = 0;
    else if (final == 'm' && number >= 30 && number <= 37)
        screen->color = number;
    else
        return final == 'm' && number >= 40 && number <= 47;

    return true;
}

/* Executes a complete sequence that begins with ESC [. */
static void
execute_sequence(struct screen *screen)
{
    const char *part = screen->part;
    char final = part[screen->part_size - 1];
    char excess;
    int first;
    int second;

    if (strcmp(part, "\033[?25h") == 0 || strcmp(part, "\033[?25l") == 0)
        screen->is_cursor_hidden = final == 'l';
    else if (strcmp(part, "\033[?1049h") == 0 || strcmp(part, "\033[?1049l") == 0)
        show_alternate(screen, final == 'h');
    else if (final == 'H' && sscanf(part, "\033[%d;%dH%c", &first, &second, &excess) == 2)
        move_to(screen, first, second);
    else if (sscanf(part, "\033[48;5;%dm%c", &first, &excess) != 1 &&
             !execute_number(screen))
        fail_on(part);
}

/* Returns the number of bytes of a UTF-8 character with this first byte. Returns 0 for
 * ESC, because the length of an escape sequence is known only from its final byte. */
static int
character_length(char first)
{
    unsigned char byte = (unsigned char)first;
    if (byte == '\033')
        return 0;
    if (byte < 0x80)
        return 1;
    if (byte >= 0xf0)
        return 4;
    if (byte >= 0xe0)
        return 3;
    return 2;
}

/* Executes a control character. */
static void
execute_control(struct screen *screen, const char *character)
{
    switch (character[0]) {
    case '\r':
        screen->column = 0;
        break;
    case '\n':
        move_down(screen);
        break;
    case '\b':
        screen->column = cursor_column(screen);
        if (screen->column > 0)
            screen->column--;
        break;
    default:
        fail_on(character);
    }
}

/* Returns true if PART is a complete character or escape sequence of SIZE bytes. */
static bool
is_complete(const char *part, int size)
{
    int length = character_length(part[0]);
    if (length)
        return size == length;
    if (size == 2)
        return part[1] != '[';
    return size > 2 && part[size - 1] >= '@';
}

static void
feed_byte(struct screen *screen, char byte)
{
    if (screen->part_size == (int)sizeof(screen->part) - 1)
        fail_on(screen->part);
    screen->part[screen->part_size++] = byte;
    screen->part[screen->part_size] = '\0';
    if (!is_complete(screen->part, screen->part_size))
        return;
    if (screen->part[0] == '\033')
        execute_sequence(screen);
    else if ((unsigned char)screen->part[0] < ' ' || screen->part[0] == '\177')
        execute_control(screen, screen->part);
    else
        put_character(screen, screen->part);
    screen->part_size = 0;
}

void
screen_feed(struct screen *screen, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        feed_byte(screen, bytes[i]);
}

void
screen_resize(struct screen *screen, int columns)
{
    assert_in_range(columns, 1, SCREEN_COLUMNS);
    for (int row = 0; row < SCREEN_ROWS; row++)
        for (int i = columns; i < SCREEN_COLUMNS; i++)
            screen->cells[row][i][0] = '\0';
    screen->columns = columns;
    screen->column = cursor_column(screen);
}

/* Returns the number of columns of a row up to its last character that is not a blank. */
static int
row_length(const struct screen *screen, int row)
{
    int used = SCREEN_COLUMNS;
    while (used > 0 && strchr(" ", screen->cells[row][used - 1][0]))
        used--;
    return used;
}

char *
screen_text(const struct screen *screen)
{
    char *text = calloc(1, sizeof(screen->cells));
    char *end = text;
    int rows = SCREEN_ROWS;
    assert_non_null(text);
    while (rows > 0 && row_length(screen, rows - 1) == 0)
        rows--;
    for (int row = 0; row < rows; row++) {
        int length = row_length(screen, row);
        for (int i = 0; i < length; i++) {
            const char *cell = screen->cells[row][i];
            end = stpcpy(end, cell[0] ? cell : " ");
        }
        end = stpcpy(end, "\n");
    }
    return text;
}

/* Returns true if TEXT begins at this row and column. COLOR becomes the colour of the
 * text, or -1 if it has several colours. */
static bool
is_at(const struct screen *screen, int row, int column, const char *text, int *color)
{
    *color = screen->colors[row][column];
    for (; *text; column++) {
        const char *cell = column < screen->columns ? screen->cells[row][column] : "";
        size_t size = strlen(cell);
        if (size == 0 || strncmp(text, cell, size) != 0)
            return false;
        if (screen->colors[row][column] != *color)
            *color = -1;
        text += size;
    }
    return true;
}

int
screen_color(const struct screen *screen, const char *text)
{
    int color;
    for (int row = 0; row < SCREEN_ROWS; row++)
        for (int column = 0; column < screen->columns; column++)
            if (is_at(screen, row, column, text, &color))
                return color;
    fail_msg("not on the screen: %s", text);
    return -1;
}
